import type { Caller } from '#lib/caller.ts';
import type { ConcurrencyLimiter } from '#lib/concurrency-limiter.ts';
import type { ResourceLimits } from '#lib/limits.ts';
import type { ReaderPool } from './objects/reader-pool.ts';

/** Bounds on what git processes may cost; the table in `lib/limits.ts` says what each is. */
export type GitLimits = ResourceLimits['git'];

/** The folder of all repositories, with what running Git in it needs. */
export type GitStore = {
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limits: GitLimits;
  /** Shares the short commands between callers. */
  readonly commands: ConcurrencyLimiter;
  /** Shares the transfers between callers. */
  readonly transfers: ConcurrencyLimiter;
  /** For whom git is run: its processes count against this caller. */
  readonly caller: Caller;
  readonly readers: ReaderPool;
  [Symbol.asyncDispose](): Promise<void>;
};

/** Where a push's objects wait until they are accepted; reads through such a `Repo` see them too. */
export type Quarantine = { objects: string; alternates: string };

/** One repository on disk. A plain value: having it doesn't say that the folder exists. */
export type Repo = {
  readonly store: GitStore;
  readonly id: number;
  readonly path: string;
  readonly quarantine?: Quarantine;
};
