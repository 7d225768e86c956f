// What the results of a search are about: one pull request is open for each subject.

import { isFor, type ProposalRow, type Target, type UpdatedDependency } from './store.ts';
import { subjectOf } from './texts.ts';

type Found = { readonly group?: string; readonly dependencies: readonly UpdatedDependency[] };

/** Longer ones are of groups, or of very many packages. */
const maxSubject = 1_000;

/**
 * The subject of each result; undefined for one that would replace a result before it. A lock file can have several versions of
 * a package, which have an update each: such an update belongs to the open pull request from the same version, or the same major
 * one.
 */
export function subjectsOf(
  results: readonly Found[],
  open: readonly ProposalRow[],
  update: Pick<Target, 'ecosystem' | 'directory' | 'target_branch'>,
): (string | undefined)[] {
  const own = open.filter((row) => isFor(row, update));
  const used = new Set<string>();
  const seen = new Set<string>();
  const subjects = new Map<Found, string>();
  const use = (found: Found, subject: string): void => {
    used.add(subject);
    subjects.set(found, subject);
  };
  const distinct = results.filter((found) => {
    const key = found.group === undefined ? JSON.stringify(versionsOf(found.dependencies)) : plainOf(found);
    return !seen.has(key) && seen.add(key);
  });
  const freeRows = (found: Found) => own.filter((row) => plainOfRow(row) === plainOf(found) && !used.has(row.subject));
  for (const isContinued of [isFromSame, isFromSameMajor])
    for (const found of distinct) {
      if (subjects.has(found)) continue;
      const row = freeRows(found).find(({ dependencies }) => isContinued(dependencies, found.dependencies));
      if (row) use(found, row.subject);
    }
  for (const found of distinct) {
    if (subjects.has(found)) continue;
    const plain = plainOf(found);
    const [row, ...others] = freeRows(found);
    const isAlone = distinct.filter((one) => plainOf(one) === plain).length === 1;
    if (row && others.length === 0 && isAlone) use(found, row.subject);
    else use(found, newSubject(found, new Set([...used, ...own.map(({ subject }) => subject)])));
  }
  return results.map((found) => subjects.get(found));
}

const plainOf = ({ group, dependencies }: Found): string => subjectOf({ group, dependencies }).slice(0, maxSubject);
const plainOfRow = ({ group_name, dependencies }: ProposalRow): string =>
  subjectOf({ group: group_name ?? undefined, dependencies }).slice(0, maxSubject);

function newSubject(found: Found, taken: ReadonlySet<string>): string {
  const plain = plainOf(found);
  if (!taken.has(plain)) return plain;
  return `${plain} from ${found.dependencies.map(({ from }) => from).join(' ')}`.slice(0, maxSubject);
}

type Dependencies = readonly UpdatedDependency[];
const versionsOf = (dependencies: Dependencies): string[] => dependencies.map(({ name, from }) => `${name} ${from}`).sort();
const majorsOf = (dependencies: Dependencies): string[] =>
  dependencies.map(({ name, from }) => `${name} ${/\d+/.exec(from)?.[0]}`).sort();

const isFromSame = (one: Dependencies, other: Dependencies): boolean =>
  JSON.stringify(versionsOf(one)) === JSON.stringify(versionsOf(other));
const isFromSameMajor = (one: Dependencies, other: Dependencies): boolean =>
  JSON.stringify(majorsOf(one)) === JSON.stringify(majorsOf(other));
