import type { Expression } from 'kysely';
import type { Static, TSchema } from 'typebox';
import type { Account, Org, Repo, Viewer } from '#access/viewer.ts';
import type { Db, Tx } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import type { AnyLoader } from './loaders.ts';
import {
  type IdRoots,
  idWords,
  type RootWord,
  rootWords,
  type ValueWord,
  valueWords,
  type WordsOf,
  type WordValue,
  wordsOf,
} from './path-words.ts';
import type { Services } from './services.ts';

/** The rows of the root words of a path. */
type Roots = { org: Org; repo: Repo; template: Repo; user: Account };

/** The parent of a resource: a root, another resource, or none, for resources of the caller's own account or app. */
type Parent = keyof Roots | AnyPathResource | undefined;

type IsAny<T> = 0 extends 1 & T ? true : false;

/** Rows by the names that handlers use for them. */
type RowsOf<Of extends Parent> =
  IsAny<Of> extends true
    ? unknown
    : Of extends keyof Roots
      ? Pick<Roots, Of>
      : Of extends PathResource<infer Name, Record<string, TSchema>, infer Above, infer Row>
        ? RowsOf<Above> & { [N in Name]: Row }
        : unknown;

/** The input of a lookup: the parent rows, and the viewer. */
export type Lookup<Above extends Parent = Parent> = {
  readonly db: Db;
  readonly at: RowsOf<Above>;
  readonly viewer: Viewer;
  readonly services: Services;
  readonly now: Date;
};

type Values<Words extends Record<string, TSchema>> = { readonly [Word in keyof Words]: Static<Words[Word]> };

/** The parents' ids as SQL, for a query that is joined to the parent's query. */
type IdsOf<Of extends Parent> = Of extends 'repo'
  ? { readonly repo: { readonly id: Expression<Id<'repositories'>> } }
  : Of extends 'org'
    ? { readonly org: { readonly id: Expression<Id<'accounts'>> } }
    : unknown;

type QueryLookup<Above extends Parent> = {
  readonly db: Db;
  readonly at: IdsOf<Above>;
  readonly viewer: Viewer;
  readonly now: Date;
};

/** How a resource is found. */
type Finding<Words extends Record<string, TSchema>, Above extends Parent, Row> =
  | {
      /**
       * Selects its row from the database. A query below a repository or organization is part of the statement that finds its
       * parent, so it runs before access is decided. Its row is used only after that.
       */
      query(lookup: QueryLookup<Above>, words: Values<Words>): Expression<Row>;
      /** Refuses if its parents don't support this kind of resource. `row` is the row that was found. @throws Refusal */
      require?(at: RowsOf<Above>, row: NoInfer<Row> | undefined): unknown;
      find?: undefined;
    }
  | {
      /** Finds the resource below its parent; undefined (404) if it doesn't exist or the viewer may not see it. */
      find(lookup: Lookup<Above>, words: Values<Words>): Promise<Row | undefined>;
      query?: undefined;
      require?: undefined;
    };

/**
 * A resource that paths name, such as `{hook_id}` in `/repos/{owner}/{repo}/hooks/{hook_id}`. It is looked up once for each
 * request, below its parent, after access to the parents is decided. Handlers get its row.
 */
type PathResource<
  Name extends string = string,
  Words extends Record<string, TSchema> = Record<string, TSchema>,
  Above extends Parent = Parent,
  Row = unknown,
> = {
  /** Handlers get its row as `at.<name>`. */
  readonly name: Name;
  /** The path words that name it, with their schemas. In other paths, the same word may name something else. */
  readonly words: Words;
  readonly below: Above;
  /** The loader that loads the same row by id, so that it isn't loaded again. */
  readonly loader?: AnyLoader;
  /** The same resource found by its id, for addresses with ids; see `numbered-paths.ts`. */
  readonly byId?: AnyPathResource;
  /**
   * Reads the resource again in the transaction of a change and locks its row, so that the second of two concurrent changes sees
   * the first. Undefined if it was deleted in the meantime. Omitted if changes need no lock.
   */
  lock?(tx: Tx, at: RowsOf<Above> & { readonly [N in Name]: NoInfer<Row> }): Promise<Row | undefined>;
} & Finding<Words, Above, Row>;

// biome-ignore lint/suspicious/noExplicitAny: the types of one resource's words, parent and row are forgotten
export type AnyPathResource = PathResource<string, Record<string, TSchema>, any, any>;

/**
 * Declares a resource that paths name.
 *
 * @example
 * export const label = pathResource({
 *   name: 'label', words: { name: nameWord }, below: 'repo',
 *   query: ({ db, at }, { name }) => labelByName(db, at.repo.id, name),
 * });
 */
export const pathResource = <
  const Name extends string,
  const Words extends Record<string, TSchema>,
  const Above extends Parent,
  Row,
>(
  declared: PathResource<Name, Words, Above, Row>,
): PathResource<Name, Words, Above, Row> => declared;

/** The path words that name a resource and its parents. */
type WordsOfResource<Of> =
  IsAny<Of> extends true
    ? never
    : Of extends PathResource<string, infer Words, infer Above, unknown>
      ? (keyof Words & string) | WordsOfResource<Above>
      : never;

type Intersection<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void ? All : never;

export type PathResources = readonly AnyPathResource[];

/** Path beginnings that name their root by id. */
type IdRootOf<Path extends string> = {
  [Beginning in keyof IdRoots]: Path extends `${Beginning}${string}` ? Beginning : never;
}[keyof IdRoots];

/** The rows of a path's root words, from the access lookup. */
export type RootRows<Path extends string> = ('org' extends WordsOf<Path> ? Pick<Roots, 'org'> : unknown) &
  ('repo' extends WordsOf<Path> ? Pick<Roots, 'repo'> : unknown) &
  ('template_repo' extends WordsOf<Path> ? Pick<Roots, 'template'> : unknown) &
  ('username' extends WordsOf<Path> ? Pick<Roots, 'user'> : unknown) &
  ([IdRootOf<Path>] extends [never] ? unknown : Pick<Roots, IdRoots[IdRootOf<Path>]>);

/** The values of the words in braces of a path: rows, and parsed values. */
export type At<Path extends string, Resources extends PathResources> = RootRows<Path> &
  ([Resources[number]] extends [never] ? unknown : Intersection<RowsOf<Resources[number]>>) & {
    readonly [W in Exclude<WordsOf<Path>, WordsOfResource<Resources[number]>> & ValueWord]: WordValue<W>;
  };

/** Path words that have no root, value or resource, and words of resources that the path lacks. */
type UnknownWord<Path extends string, Resources extends PathResources> =
  | Exclude<WordsOf<Path>, RootWord | WordsOf<IdRootOf<Path>> | ValueWord | WordsOfResource<Resources[number]>>
  | Exclude<WordsOfResource<Resources[number]>, WordsOf<Path>>;

/** A path whose words match its resources. Other paths don't compile. */
export type KnownPath<Path extends string, Resources extends PathResources> = [UnknownWord<Path, Resources>] extends [never]
  ? Path
  : `The word ${UnknownWord<Path, Resources>} has no resource, or stands in a resource alone`;

/** The resources of a path, each after its parents. */
export function resourcesOf({ resources = none }: { readonly resources?: PathResources }): readonly AnyPathResource[] {
  const known = chains.get(resources);
  if (known) return known;
  const all: AnyPathResource[] = [];
  const add = (resource: AnyPathResource): void => {
    if (typeof resource.below === 'object') add(resource.below);
    if (!all.includes(resource)) all.push(resource);
  };
  resources.forEach(add);
  chains.set(resources, all);
  return all;
}

const none: PathResources = [];
const chains = new WeakMap<PathResources, readonly AnyPathResource[]>();

type Addressed = { readonly path: string; readonly resources?: PathResources };

/** The schema of each word of a path, in the path's order. */
export function wordSchemasOf(endpoint: Addressed): ReadonlyMap<string, TSchema> {
  const known = schemasByEndpoint.get(endpoint);
  if (known) return known;
  const own: Record<string, TSchema> = Object.assign({}, ...resourcesOf(endpoint).map(({ words }) => words));
  const all: Record<string, TSchema> = { ...rootWords, ...idWords, ...valueWords, ...own };
  const schemas = new Map(
    wordsOf(endpoint.path).map((word): [string, TSchema] => {
      const schema = Object.hasOwn(all, word) ? all[word] : undefined;
      if (!schema) throw new Error(`${endpoint.path}: no resource has the word ${word}`);
      return [word, schema];
    }),
  );
  schemasByEndpoint.set(endpoint, schemas);
  return schemas;
}

const schemasByEndpoint = new WeakMap<Addressed, ReadonlyMap<string, TSchema>>();
