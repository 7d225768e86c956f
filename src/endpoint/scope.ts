import type { Viewer } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
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
};

/** What a function needs beside the scope, of what exists once in a process: `Scope & Needs<'secrets'>`. */
export type Needs<Name extends keyof Services> = Pick<Services, Name>;

/** Opens a scope in which nothing is loaded yet. */
export function openScope(given: Omit<Scope, 'load' | 'media'> & { readonly media?: Media }): Scope {
  const { db, links, viewer, media = 'json', now, git } = given;
  const scope: Scope = { db, links, viewer, media, now, git, load: openLoaders(() => scope) };
  return scope;
}

/** The same scope for another viewer. What was loaded for one viewer isn't there for the other. */
export const scopeFor = (scope: Scope, viewer: Viewer): Scope => openScope({ ...scope, viewer });
