import type { Org, Repo, Viewer } from '#access/viewer.ts';
import type { Db, Tx } from '#database/connect.ts';
import type { GitStore } from '#git/repo.ts';
import type { Media } from '#lib/media.ts';
import type { Links } from './links.ts';
import { type Load, openLoaders } from './loaders.ts';
import type { Services } from './services.ts';

/**
 * What a request, a job or a payload reads with. Presenters and rules take it first: `presentThings(scope, rows)` loads what belongs to the
 * rows of a page once for all of them. What else a function needs stands in its type.
 */
export type Scope = {
  readonly db: Db;
  readonly links: Links;
  /** Who sees the result. `everybody` for payloads, which all receivers of an event see alike. */
  readonly viewer: Viewer;
  /** The media type in which texts are wanted. */
  readonly media: Media;
  readonly now: Date;
  readonly git: GitStore;
  /** Loads things by their keys, each once in this scope. */
  readonly load: Load;
  /** What paths name first, found once for all endpoints that run in this scope. */
  readonly roots: PathRoots;
};

/**
 * What a change reads and writes with: the scope of its transaction, whose `db` is the transaction. Rules take it first; stores take its `tx`.
 */
export type WriteScope = Scope & { readonly tx: Tx };

/** Runs a change in one transaction. */
export type Change = <T>(work: (scope: WriteScope) => Promise<T>) => Promise<T>;

/** A repository or organization that a path begins with, and what the viewer may do there. */
type PathRoot = {
  readonly repo?: Repo;
  readonly template?: Repo;
  readonly org?: Org;
  /** Whether the limit on interactions was looked for. */
  readonly hasLimit: boolean;
};

/** Roots by the words that name them. No decision about access is remembered: each endpoint makes its own on these rows. */
export type PathRoots = Map<string, PathRoot>;

/** What a function needs beside the scope, of what exists once in a process: `Scope & Needs<'secrets'>`. */
export type Needs<Name extends keyof Services> = Pick<Services, Name>;

/** Opens a scope in which nothing is loaded yet. */
export function openScope(given: Omit<Scope, 'load' | 'roots' | 'media'> & { readonly media?: Media }): Scope {
  const { db, links, viewer, media = 'json', now, git } = given;
  const scope: Scope = { db, links, viewer, media, now, git, load: openLoaders(() => scope), roots: new Map() };
  return scope;
}

/** The scope of a transaction. What was loaded outside of it isn't there: others may have changed it before the transaction began. */
export function writeScope({ links, viewer, media, now, git }: Scope, tx: Tx): WriteScope {
  const scope: WriteScope = { db: tx, tx, links, viewer, media, now, git, load: openLoaders(() => scope), roots: new Map() };
  return scope;
}

/** The same scope for another viewer. What was loaded for one viewer isn't there for the other. */
export const scopeFor = (scope: Scope, viewer: Viewer): Scope => openScope({ ...scope, viewer });

/** The same scope for another media type: what was loaded may hold texts in the former one. */
export const scopeIn = (scope: Scope, media: Media): Scope =>
  media === scope.media ? scope : { ...openScope({ ...scope, media }), roots: scope.roots };

/** Forgets what was read before a change, which may be another thing now. */
export function forgetAll({ load, roots }: Pick<Scope, 'load' | 'roots'>): void {
  load.forget();
  roots.clear();
}
