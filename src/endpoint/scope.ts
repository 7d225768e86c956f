import type { Org, Repo, Viewer } from '#access/viewer.ts';
import type { Db, Tx } from '#database/connect.ts';
import type { GitStore } from '#git/repo.ts';
import type { Media } from '#lib/media.ts';
import type { Links } from './links.ts';
import { type Load, openLoaders } from './loaders.ts';
import type { Services } from './services.ts';

/**
 * The context for reads of a request, a job or a payload. It is the first parameter of presenters and rules:
 * `presentThings(scope, rows)` loads related rows once for a whole page. A function's type shows what else it needs.
 */
export type Scope = {
  readonly db: Db;
  readonly links: Links;
  /** The audience of the result. `everybody` for payloads, which are the same for all receivers of an event. */
  readonly viewer: Viewer;
  /** The requested media type of texts. */
  readonly media: Media;
  readonly now: Date;
  readonly git: GitStore;
  /** Loads things by their keys, each once in this scope. */
  readonly load: Load;
  /** Path roots, looked up once for all endpoints that run in this scope. */
  readonly roots: PathRoots;
};

/**
 * The scope of a transaction, for reading and writing. Its `db` is the transaction. Rules take it first, stores take its `tx`.
 */
export type WriteScope = Scope & { readonly tx: Tx };

/** Runs a change in one transaction. */
export type Change = <T>(work: (scope: WriteScope) => Promise<T>) => Promise<T>;

/** The same, for changes that need process-wide services. */
export type ServedChange<Name extends keyof Services = keyof Services> = <T>(
  work: (scope: WriteScope & Needs<Name>) => Promise<T>,
) => Promise<T>;

/**
 * The scope of whoever may begin transactions: handlers, jobs, commands and pushes. A `WriteScope` isn't one, so the compiler
 * refuses functions that commit by themselves inside of a transaction.
 */
export type ChangeScope = Scope & { readonly change: Change };

/** The repository or organization at the start of a path, and the viewer's access to it. */
type PathRoot = {
  readonly repo?: Repo;
  readonly template?: Repo;
  readonly org?: Org;
  /** Whether the limit on interactions was looked up. */
  readonly hasLimit: boolean;
};

/** Roots by the words that name them. Access decisions aren't cached: each endpoint makes its own decision about these rows. */
export type PathRoots = Map<string, PathRoot>;

/** The process-wide services that a function needs of its scope: `Scope & Needs<'secrets'>`. */
export type Needs<Name extends keyof Services> = { readonly services: Pick<Services, Name> };

/** A scope with some services, whose changes have them too. */
export type ServedChangeScope<Name extends keyof Services> = Scope & Needs<Name> & { readonly change: ServedChange<Name> };

/** The scope of handlers and jobs, which has all services. */
export type ServedScope = ServedChangeScope<keyof Services>;

/** The services of a scope from which another one is opened. */
export type Served<Given> = Given extends { readonly services: infer Held } ? { readonly services: Held } : unknown;

type ScopeParts = Omit<Scope, 'load' | 'roots' | 'media'> & { readonly media?: Media };

/** Opens a scope in which nothing is loaded yet. */
export function openScope<Given extends ScopeParts>(given: Given): Scope & Served<Given> {
  const { db, links, viewer, media = 'json', now, git } = given;
  const load = openLoaders((): Scope => scope);
  const scope = Object.assign({ db, links, viewer, media, now, git, load, roots: new Map() }, servicesOf(given));
  return scope;
}

/** Opens the scope of a transaction. It loads values again, since others may have changed them before the transaction began. */
export const writeScope = <Given extends Scope>(given: Given, tx: Tx): WriteScope & Served<Given> =>
  Object.assign(openScope({ ...given, db: tx }), { tx });

/** The same scope for another viewer, without the values loaded for the first one. */
export const scopeFor = <Given extends Scope>(scope: Given, viewer: Viewer): Scope & Served<Given> =>
  openScope({ ...scope, viewer });

/** The same scope for another media type. It loads values again, since loaded ones may contain texts of the former type. */
export const scopeIn = (scope: Scope, media: Media): Scope =>
  media === scope.media ? scope : { ...openScope({ ...scope, media }), roots: scope.roots };

/** The services of a scope, if it has them. */
const servicesOf = <Given extends object>(given: Given) =>
  ('services' in given ? { services: given.services } : {}) as Served<Given>;

/** Forgets rows that were read before a change, since they may be stale. */
export function forgetAll({ load, roots }: Pick<Scope, 'load' | 'roots'>): void {
  load.forget();
  roots.clear();
}
