import type { Caller } from '#lib/caller.ts';
import type { ConcurrencyLimiter } from '#lib/concurrency-limiter.ts';
import type { LimitValues } from '#lib/limits.ts';
import type { EmptyRepository } from './empty-repository.ts';
import type { gitLimits } from './limits.ts';
import type { ObjectCache } from './objects/object-cache.ts';
import type { ReaderPool } from './objects/reader-pool.ts';

/** The limits on git processes; see `limits.ts`. */
export type GitLimits = LimitValues<typeof gitLimits>;

/** The folder of all repositories, with the limits, limiters and readers of its git processes. */
export type GitStore = {
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limits: GitLimits;
  /** The limiter of short commands. */
  readonly commands: ConcurrencyLimiter;
  /** The limiter of transfers. */
  readonly transfers: ConcurrencyLimiter;
  /** Git processes count against this caller. */
  readonly caller: Caller;
  /** Git processes end when it is aborted. Jobs use it when their worker stops. */
  readonly signal?: AbortSignal | undefined;
  readonly readers: ReaderPool;
  readonly cache: ObjectCache;
  /** The files of an empty repository. */
  readonly emptyRepository: (store: GitStore) => Promise<EmptyRepository>;
  /** Checks that the folder exists and belongs to this installation. @throws GitError `unavailable` */
  readonly checkStorage: () => Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** The object folder of a push that isn't accepted yet. A `GitRepository` with it also reads those objects. */
export type Quarantine = { objects: string; alternates: string };

/** One repository on disk. The folder may not exist. */
export type GitRepository = {
  readonly store: GitStore;
  readonly id: number;
  readonly path: string;
  readonly quarantine?: Quarantine;
};
