// The patches of some of the files that differ between two commits, and counts without changes of white space.
import { periodicYield } from '#lib/turns.ts';
import { cached, kindOf } from '../objects/object-cache.ts';
import { checkedOid, emptyTree, type Oid, zeroOid } from '../objects/oid.ts';
import { readRecords } from '../process/records.ts';
import { run } from '../process/run.ts';
import type { GitRepository } from '../repo.ts';
import type { PathChange } from './changes.ts';

type Ends = { readonly from: Oid | null; readonly to: Oid };
type DiffWay = Ends & { readonly ignoresSpace: boolean };

const common = ['--full-index', '-r', '-M', '--no-ext-diff', '--no-textconv', '--no-color'];

const argsOf = ({ from, to, ignoresSpace }: DiffWay, format: readonly string[]): string[] => [
  'diff-tree',
  ...format,
  ...common,
  ...(ignoresSpace ? ['-w'] : []),
  from === null ? emptyTree : checkedOid(from),
  checkedOid(to),
  '--',
];

/** The patches of files, by path: all hunks, from the first `@@` on. `isCut`: git's output was longer than `most` bytes. */
type Patches = { readonly byPath: ReadonlyMap<string, string>; readonly isCut: boolean };

const kept = kindOf<{ readonly texts: readonly (readonly [path: string, patch: string])[]; readonly isCut: boolean }>('patches');

/**
 * The patches of these files. Binary files, and those with unchanged content, have none. Of output beyond `most` bytes, the rest
 * is missing: of the last file, its last lines.
 */
export async function readPatches(
  repo: GitRepository,
  given: DiffWay & { readonly files: readonly PathChange[]; readonly most: number },
): Promise<Patches> {
  const { files, most } = given;
  if (files.length === 0) return { byPath: new Map(), isCut: false };
  const paths = files.flatMap(({ path, previousPath }) => (previousPath === undefined ? [path] : [previousPath, path]));
  const args = [...argsOf(given, ['-p']), ...paths];
  const { texts, isCut } = await cached(repo, kept, `${most} ${args.join('\0')}`, async () => {
    const { stdout, truncated } = await run(repo, args, { maxOutput: most, truncate: true });
    return { texts: await patchesIn(truncated ? wholeLines(stdout) : stdout, files), isCut: truncated };
  });
  return { byPath: new Map(texts), isCut };
}

const wholeLines = (bytes: Buffer): Buffer => bytes.subarray(0, bytes.lastIndexOf(10) + 1);

/** Sections are found by the names of their objects, since a path may also match the former contents of a folder. */
async function patchesIn(bytes: Buffer, files: readonly PathChange[]): Promise<(readonly [string, string])[]> {
  const hunks = new Map<string, string>();
  const yieldTurn = periodicYield();
  const start = Buffer.from('diff --git ');
  for (let at = bytes.indexOf(start); at >= 0; ) {
    const next = bytes.indexOf('\ndiff --git ', at);
    const section = bytes.subarray(at, next < 0 ? bytes.length : next + 1);
    const [, before, after] = /^index ([0-9a-f]{40})\.\.([0-9a-f]{40})/m.exec(section.toString('latin1', 0, maxHeader)) ?? [];
    const first = section.indexOf('\n@@ ');
    if (before !== undefined && first >= 0) {
      const end = section.at(-1) === 10 ? section.length - 1 : section.length;
      hunks.set(`${before}..${after}`, section.toString('utf8', first + 1, end));
    }
    at = next < 0 ? -1 : next + 1;
    await yieldTurn();
  }
  return files.flatMap((file) => {
    const found = sectionsOf(file).flatMap((key) => hunks.get(key) ?? []);
    return found.length === 0 ? [] : [[file.path, found.join('\n')] as const];
  });
}

/** Two names of the longest paths, and the lines around them. */
const maxHeader = 20_000;

/** A type change has two sections: a removal and an addition. */
function sectionsOf({ status, old: before, new: after }: PathChange): string[] {
  const [from, to] = [before?.oid ?? zeroOid, after?.oid ?? zeroOid];
  return status === 'changed' ? [`${from}..${zeroOid}`, `${zeroOid}..${to}`] : [`${from}..${to}`];
}

/** Numbers of added and removed lines. */
type LineCounts = { readonly additions: number; readonly deletions: number };

const keptCounts = kindOf<{ readonly counts: readonly (readonly [path: string, counts: LineCounts])[] }>('space-counts');

/** The numbers of added and removed lines where changes of white space don't count. Files without any others are missing. */
export async function countWithoutSpace(repo: GitRepository, ends: Ends): Promise<Map<string, LineCounts>> {
  const args = argsOf({ ...ends, ignoresSpace: true }, ['--numstat', '-z']);
  const { counts } = await cached(repo, keptCounts, args.join('\0'), async () => {
    const found: (readonly [string, LineCounts])[] = [];
    // The counts of a renamed file precede its two paths.
    let renamed: { readonly counts: LineCounts; readonly previous?: string } | undefined;
    for await (const records of readRecords(repo, args, { separator: 0 }))
      for (const record of records) {
        const text = record.toString('utf8');
        if (renamed) {
          if (renamed.previous !== undefined) found.push([text, renamed.counts]);
          renamed = renamed.previous === undefined ? { ...renamed, previous: text } : undefined;
          continue;
        }
        const [, added = '', removed = '', path = ''] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(text) ?? [];
        const counts = { additions: Number(added) || 0, deletions: Number(removed) || 0 };
        if (path === '') renamed = { counts };
        else found.push([path, counts]);
      }
    return { counts: found };
  });
  return new Map(counts);
}
