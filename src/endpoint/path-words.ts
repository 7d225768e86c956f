import { type Static, type TSchema, Type } from 'typebox';
import { type Id, maxId } from '#lib/id.ts';
import { OneOf } from '#lib/shape.ts';

const text = Type.String({ minLength: 1, maxLength: 1024 });
const login = Type.String({ minLength: 1, maxLength: 100 });

/** The schema of a path word that is the id of a table's row. */
export const idOf = <Table extends string>(_table: Table) =>
  Type.Unsafe<Id<Table>>({ type: 'integer', minimum: 1, maximum: maxId });

/** The schema of a path word for a number that is unique within its repository, such as an issue number. */
export const numberWord = Type.Integer({ minimum: 1, maximum: 2_147_483_647 });

/** The schemas of path words that are names. Labels, branches and revisions may contain slashes; slugs, keys and codes don't. */
export const nameWord = text;
export const slugWord = Type.String({ minLength: 1, maxLength: 1024, pattern: '^[^/]+$' });
export const loginWord = login;

/**
 * A name that may contain slashes, which clients escape (`%2F`). So other words can follow it, and unknown words don't become
 * part of it.
 */
export const escapedNameWord = Type.String({ minLength: 1, maxLength: 1024, description: 'A slash in it is written as %2F' });

/** The words for accounts and repositories. They are looked up together with the viewer's access. */
export const rootWords = {
  org: login,
  owner: login,
  repo: login,
  template_owner: login,
  template_repo: login,
  username: login,
} as const satisfies Record<string, TSchema>;

/**
 * Path beginnings that name their root by id, each with its root. A team's id also identifies its organization. Elsewhere the
 * same word belongs to a path resource, as in `/orgs/{org}/settings/immutable-releases/repositories/{repository_id}`.
 */
export const idRoots = {
  '/repositories/{repository_id}': 'repo',
  '/repositories/{template_id}': 'template',
  '/organizations/{organization_id}': 'org',
  '/teams/{team_id}': 'org',
} as const;
export type IdRoots = typeof idRoots;

/** The beginning of paths that name an account by its id. Access doesn't depend on the account. */
export const userById = '/user/{user_id}';

/** The words of these beginnings. */
export const idWords = {
  repository_id: idOf('repositories'),
  template_id: idOf('repositories'),
  organization_id: idOf('accounts'),
  team_id: idOf('teams'),
  user_id: idOf('accounts'),
} as const satisfies Record<WordsOf<keyof IdRoots | typeof userById>, TSchema>;

/** The beginning of a path that names its root by id, if it does. */
export const idRootOf = (path: string): keyof IdRoots | undefined => beginnings.find((beginning) => path.startsWith(beginning));

const beginnings = Object.keys(idRoots) as (keyof IdRoots)[]; // the keys of the table above

/**
 * Words that aren't looked up in the database: files and refs, which handlers read from Git, and the names of environments,
 * custom properties and secrets that a request creates. All other words belong to a path resource.
 */
export const valueWords = {
  ref: Type.String({ maxLength: 1024 }),
  basehead: text,
  path: Type.String({ maxLength: 4096 }),
  dir: Type.String({ maxLength: 4096 }),
  archive: slugWord,
  environment_name: escapedNameWord,
  custom_property_name: slugWord,
  secret_name: slugWord,
  security_product: OneOf([
    'dependency_graph',
    'dependency_bot_alerts',
    'dependency_bot_security_updates',
    'advanced_security',
    'code_scanning_default_setup',
    'secret_scanning',
    'secret_scanning_push_protection',
  ]),
  enablement: OneOf(['enable_all', 'disable_all']),
} as const satisfies Record<string, TSchema>;

export type RootWord = keyof typeof rootWords;
export type ValueWord = keyof typeof valueWords;

const slashedWords: ReadonlySet<TSchema> = new Set([nameWord, valueWords.ref, valueWords.path, valueWords.dir]);

/**
 * Whether a word of this schema may contain slashes, as names, revisions and file paths do. At the end of a path, its value
 * extends to the end of the address.
 */
export const mayHoldSlashes = (schema: TSchema): boolean => slashedWords.has(schema);

/** The words in braces of a path pattern. */
export type WordsOf<Path extends string> = Path extends `${string}{${infer Word}}${infer Rest}` ? Word | WordsOf<Rest> : never;

/** The parsed value of a word. */
export type WordValue<Word extends ValueWord> = Static<(typeof valueWords)[Word]>;

/** The words of a path pattern, in order. */
export const wordsOf = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
