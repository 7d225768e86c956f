// To which repositories and refs a ruleset applies.
import { oncePerObject } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { type Fnmatch, fnmatchOf, matchesFnmatch, pathOf } from '#lib/path-pattern.ts';
import type { RuledRepository } from './applied-rule.ts';
import type { Conditions, Property, RefTarget } from './schemas.ts';

/** What stands for all refs or repositories, and for the default branch. */
export const everything = '~ALL';
export const defaultBranch = '~DEFAULT_BRANCH';

/** How the names of refs begin that a target stands for. */
export const refPrefixes = { branch: 'refs/heads/', tag: 'refs/tags/' } as const;

/** What conditions may ask of a repository. */
export type RepositoryFacts = {
  readonly id: Id<'repositories'>;
  readonly name: string;
  readonly language: string | null;
  readonly fork: boolean;
  readonly visibility: string;
  /** The values of each custom property, by its name in lower case. */
  readonly custom: Readonly<Record<string, readonly string[]>>;
};

/** The properties that every repository has. */
export const systemProperties = {
  language: ({ language }: RepositoryFacts) => language,
  fork: ({ fork }: RepositoryFacts) => String(fork),
  visibility: ({ visibility }: RepositoryFacts) => visibility,
} as const;

const isSystemProperty = (name: string): name is keyof typeof systemProperties => Object.hasOwn(systemProperties, name);

type Lists = { readonly include?: readonly string[]; readonly exclude?: readonly string[] };
type CompiledLists = { readonly include: readonly Fnmatch[]; readonly exclude: readonly Fnmatch[] };

const compiled = oncePerObject(
  ({ include = [], exclude = [] }: Lists): CompiledLists => ({
    include: include.map(fnmatchOf),
    exclude: exclude.map(fnmatchOf),
  }),
);

/** Names of repositories differ by more than case, and so do the patterns that match them. */
const compiledNames = oncePerObject(({ include = [], exclude = [] }: Lists) =>
  compiled({ include: include.map((name) => name.toLowerCase()), exclude: exclude.map((name) => name.toLowerCase()) }),
);

/** Whether one of the included patterns matches, and none of the excluded. `words`: what stands for the name besides. */
function isNamed(lists: Lists, { include, exclude }: CompiledLists, name: string, words: readonly string[]): boolean {
  const path = pathOf(name);
  const isIn = (written: readonly string[] = [], patterns: readonly Fnmatch[]): boolean =>
    words.some((word) => written.includes(word)) || patterns.some((pattern) => matchesFnmatch(pattern, path));
  return isIn(lists.include, include) && !isIn(lists.exclude, exclude);
}

function hasProperty(facts: RepositoryFacts, { name, property_values, source = 'custom' }: Property): boolean {
  const values = source === 'system' ? systemValues(facts, name) : customValues(facts, name);
  const wanted = property_values.map((value) => value.toLowerCase());
  return values.some((value) => wanted.includes(value.toLowerCase()));
}

const customValues = ({ custom }: RepositoryFacts, name: string): readonly string[] => {
  const key = name.toLowerCase();
  return Object.hasOwn(custom, key) ? (custom[key] ?? []) : [];
};

const systemValues = (facts: RepositoryFacts, name: string): readonly string[] => {
  const value = isSystemProperty(name) ? systemProperties[name](facts) : null;
  return value === null ? [] : [value];
};

/** Whether a ruleset of an organization applies to one of its repositories. */
export function matchesRepository(conditions: Conditions, facts: RepositoryFacts): boolean {
  const { repository_name, repository_id, repository_property } = conditions;
  if (repository_name) return isNamed(repository_name, compiledNames(repository_name), facts.name.toLowerCase(), [everything]);
  if (repository_id) return repository_id.repository_ids?.some((id) => id === facts.id) ?? false;
  if (!repository_property) return false;
  const { include = [], exclude = [] } = repository_property;
  return include.every((one) => hasProperty(facts, one)) && !exclude.some((one) => hasProperty(facts, one));
}

type Ruled = { readonly target: RefTarget; readonly conditions: Conditions };

/**
 * Whether a ruleset applies to a ref, by its whole name. One for pushes applies to branches and tags alike; one without patterns
 * to no ref.
 */
export function matchesRef(
  { target, conditions: { ref_name } }: Ruled,
  ref: string,
  { default_branch }: Pick<RuledRepository, 'default_branch'>,
): boolean {
  if (target === 'push') return true;
  if (!ref.startsWith(refPrefixes[target]) || !ref_name) return false;
  const isDefault = target === 'branch' && ref === refPrefixes.branch + default_branch;
  return isNamed(ref_name, compiled(ref_name), ref, isDefault ? [everything, defaultBranch] : [everything]);
}
