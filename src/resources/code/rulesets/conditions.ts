// To which repositories and refs a ruleset applies.
import type { Id } from '#lib/id.ts';
import { type Fnmatch, fnmatchesOf, matchesFnmatch, pathOf } from '#lib/path-pattern.ts';
import type { Steps } from '#lib/pattern-steps.ts';
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

/** Lists that were read, kept while their ruleset is in memory. */
type Read = WeakMap<Lists, CompiledLists>;

/** Patterns as they are written; names of repositories differ by more than case, and so do the patterns that match them. */
const read = { exactly: new WeakMap() as Read, inLowerCase: new WeakMap() as Read };

function compiled(lists: Lists, how: keyof typeof read, work: Steps): CompiledLists {
  const known = read[how].get(lists);
  if (known) return known;
  const { include = [], exclude = [] } = lists;
  const patternsOf = (texts: readonly string[]): Fnmatch[] =>
    fnmatchesOf(how === 'inLowerCase' ? texts.map((text) => text.toLowerCase()) : texts, work);
  const made = { include: patternsOf(include), exclude: patternsOf(exclude) };
  read[how].set(lists, made);
  return made;
}

type Named = { readonly name: string; readonly words: readonly string[]; readonly how: keyof typeof read };

/** Whether one of the included patterns matches, and none of the excluded. `words`: what stands for the name besides. */
function isNamed(lists: Lists, { name, words, how }: Named, work: Steps): boolean {
  const { include, exclude } = compiled(lists, how, work);
  const path = pathOf(name);
  const isIn = (written: readonly string[] = [], patterns: readonly Fnmatch[]): boolean =>
    words.some((word) => written.includes(word)) || patterns.some((pattern) => matchesFnmatch(pattern, path, work));
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

/**
 * Whether a ruleset of an organization applies to one of its repositories. `work`: the steps of all rulesets that are asked.
 * @throws Refusal 413 if it takes too many steps
 */
export function matchesRepository(conditions: Conditions, facts: RepositoryFacts, work: Steps): boolean {
  const { repository_name, repository_id, repository_property } = conditions;
  if (repository_name)
    return isNamed(repository_name, { name: facts.name.toLowerCase(), words: [everything], how: 'inLowerCase' }, work);
  if (repository_id) return repository_id.repository_ids?.some((id) => id === facts.id) ?? false;
  if (!repository_property) return false;
  const { include = [], exclude = [] } = repository_property;
  return include.every((one) => hasProperty(facts, one)) && !exclude.some((one) => hasProperty(facts, one));
}

type Ruled = { readonly target: RefTarget; readonly conditions: Conditions };

/**
 * Whether a ruleset applies to a ref, by its whole name. One for pushes applies to branches and tags alike; one without patterns
 * to no ref. `work`: the steps of all rulesets with this ref.
 * @throws Refusal 413 if it takes too many steps
 */
export function matchesRef(
  { target, conditions: { ref_name } }: Ruled,
  ref: string,
  { default_branch }: Pick<RuledRepository, 'default_branch'>,
  work: Steps,
): boolean {
  if (target === 'push') return true;
  if (!ref.startsWith(refPrefixes[target]) || !ref_name) return false;
  const isDefault = target === 'branch' && ref === refPrefixes.branch + default_branch;
  const words = isDefault ? [everything, defaultBranch] : [everything];
  return isNamed(ref_name, { name: ref, words, how: 'exactly' }, work);
}
