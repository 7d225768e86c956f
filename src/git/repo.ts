import type { ReaderPool } from './reader-pool.ts';
import type { Slots } from './slots.ts';

/** Bounds on what one Git process may cost. */
export type GitLimits = {
  /** Short commands (reads and writes of the API) that run at once; more of them wait. */
  commands: number;
  /** Clones, fetches, pushes, archives and imports that run at once; more of them wait. */
  transfers: number;
  /** Milliseconds for a short command. */
  commandTime: number;
  /** Milliseconds for a transfer. */
  transferTime: number;
  /** Milliseconds in which a transfer must move some bytes, in or out. */
  transferIdle: number;
  /** Bytes of output that a short command may give. */
  output: number;
  /** Bytes of one object that is read into memory. */
  object: number;
  /** Bytes that one push may send. */
  push: number;
  /** Object readers that stay open, and for how many milliseconds without use. */
  readers: number;
  readerIdle: number;
};

/** The folder of all repositories, with what running Git in it needs. */
export type GitStore = {
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limits: GitLimits;
  readonly commandSlots: Slots;
  readonly transferSlots: Slots;
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
