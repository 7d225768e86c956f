import type { Readable } from 'node:stream';

/** Takes the next bytes of an object. It resolves when it can take more. */
type Sink = (part: Buffer) => Promise<void>;

/** A stored object: its size in bytes, and its SHA-256 as `sha256:` and 64 digits. */
type Stored = { readonly size: number; readonly digest: string };

/** A part of an object, from the first to the last byte. */
export type ByteRange = { readonly start: number; readonly end: number };

/** An object in the store, or the remains of an interrupted upload. */
export type StoredFile = { readonly group: string; readonly name: string; readonly modified: Date };

/**
 * Stores large files, which never change. A database row refers to each by its key, `<group>/<name>`. Acknowledged files are
 * durable.
 */
export type ObjectStore = {
  /**
   * Stores the bytes that `send` passes to the sink. If `send` throws, nothing is stored.
   * @param key letters, digits and hyphens, with a slash. No other object has it
   */
  put(key: string, send: (sink: Sink) => Promise<void>): Promise<Stored>;
  /**
   * Opens an object, or a part of it; undefined if it doesn't exist. A reader gets all bytes even if the object is removed in the
   * meantime.
   */
  open(key: string, range?: ByteRange): Promise<Readable | undefined>;
  /** Removes an object, or the remains of one, by its names in `list`. A missing object isn't an error. */
  remove(key: string): Promise<void>;
  /** Removes all objects of a group. */
  removeGroup(group: string): Promise<void>;
  /** Checks that the store is available. @throws Error */
  check(): Promise<void>;
  /** Everything in the store, in batches: objects, and the remains of interrupted uploads, whose names no object has. */
  list(): AsyncIterable<readonly StoredFile[]>;
};

const keyPattern = /^[a-zA-Z0-9-]+\/[a-zA-Z0-9-]+(?:\.partial)?$/;

/** The suffix for the remains of an interrupted upload, after the object's name. */
export const partial = '.partial';

/** Refuses a malformed key, which could lead outside of the store. */
export function checkKey(key: string): void {
  if (!keyPattern.test(key)) throw new Error(`${key} is no key of an object`);
}
