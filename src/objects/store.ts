import type { Readable } from 'node:stream';

/** Takes the next bytes of an object. It resolves when more may follow. */
type Sink = (part: Buffer) => Promise<void>;

/** What was stored: its bytes, and their SHA-256 as `sha256:` and 64 digits. */
type Stored = { readonly size: number; readonly digest: string };

/** A part of an object, in bytes: the first, and the last. */
export type ByteRange = { readonly start: number; readonly end: number };

/** An object in the store, or what an upload that was cut off has left. */
export type StoredFile = { readonly group: string; readonly name: string; readonly modified: Date };

/**
 * Keeps large files, which never change: a database row names each by its key, `<group>/<name>`. What is acknowledged is durable.
 */
export type ObjectStore = {
  /**
   * Stores what `send` passes to the sink. If that throws, nothing is stored.
   * @param key of letters, digits and hyphens, with a slash; no other object has it
   */
  put(key: string, send: (sink: Sink) => Promise<void>): Promise<Stored>;
  /** Opens an object, or a part of it; undefined where there is none. What is read is whole even if it is removed meanwhile. */
  open(key: string, range?: ByteRange): Promise<Readable | undefined>;
  /** Removes an object, or the remains of one, by the names that `list` gives. If there is none, that is no error. */
  remove(key: string): Promise<void>;
  /** Removes all objects of a group. */
  removeGroup(group: string): Promise<void>;
  /** Checks that the store is there. @throws Error */
  check(): Promise<void>;
  /** All that lies in the store, in batches: objects, and the remains of uploads that were cut off, whose names are no objects'. */
  list(): AsyncIterable<readonly StoredFile[]>;
};

const keyPattern = /^[a-zA-Z0-9-]+\/[a-zA-Z0-9-]+(?:\.partial)?$/;

/** The name of what an upload that was cut off has left is that of its object, and this. */
export const partial = '.partial';

/** Refuses what is no key, as it could lead elsewhere. */
export function checkKey(key: string): void {
  if (!keyPattern.test(key)) throw new Error(`${key} is no key of an object`);
}
