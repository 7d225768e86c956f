import { LRUCache } from 'lru-cache';
import type { GitLimits, GitRepository } from '../repo.ts';

/** A kind of cached values. What its keys name never changes: an object, or what follows from objects alone. */
export type Kind<V> = { readonly name: string; readonly value?: V };

export const kindOf = <V>(name: string): Kind<V> => ({ name });

/**
 * What was read of repositories lately, within a bound in bytes. Keys are object names, so that no value is ever outdated. Refs
 * aren't cached, nor whether an object exists: a request asks git for what it names, and only what that leads to comes from here.
 */
export type ObjectCache = {
  get<V>(repo: GitRepository, kind: Kind<V>, key: string): V | undefined;
  /** Keeps a value, which must not be modified afterwards. */
  set<V extends object | number>(repo: GitRepository, kind: Kind<V>, key: string, value: V): void;
  /** Drops what was read of a repository that is removed. */
  drop(repo: Pick<GitRepository, 'id'>): void;
  /** The bytes that all values take. */
  size(): number;
};

/** The largest value, as a part of the whole cache. */
const largestPart = 1 / 64;
/** The bytes that an entry takes beside its key and value. */
const entryBytes = 300;

/** Makes an empty cache. Each process has one for all its repositories. */
export function makeObjectCache({ cache: maxSize }: Pick<GitLimits, 'cache'>): ObjectCache {
  const entries = new LRUCache<string, object | number>({ maxSize });
  const largest = maxSize * largestPart;
  const keyOf = ({ id }: Pick<GitRepository, 'id'>, kind: Kind<unknown>, key: string): string => `${id} ${kind.name} ${key}`;
  return {
    // The kind is a part of the key, so that the value has the type of its kind.
    get: <V>(repo: GitRepository, kind: Kind<V>, key: string) => entries.get(keyOf(repo, kind, key)) as V | undefined,
    set(repo, kind, key, value) {
      if (!isCacheable(repo)) return;
      const name = keyOf(repo, kind, key);
      const size = entryBytes + sizeOf(name) + sizeOf(value, largest);
      if (size <= largest) entries.set(name, value, { size });
    },
    drop(repo) {
      for (const key of [...entries.keys()]) if (key.startsWith(`${repo.id} `)) entries.delete(key);
    },
    size: () => entries.calculatedSize,
  };
}

/** Objects of a push that isn't accepted yet, of a fork's network and of a draft can be read for one purpose only. */
const isCacheable = ({ id, quarantine }: GitRepository): boolean => id > 0 && quarantine === undefined;

/** The cached value, or the one that `read` returns, which is then cached. */
export async function cached<V extends object | number>(
  repo: GitRepository,
  kind: Kind<V>,
  key: string,
  read: () => Promise<V>,
): Promise<V> {
  const known = repo.store.cache.get(repo, kind, key);
  if (known !== undefined) return known;
  const value = await read();
  repo.store.cache.set(repo, kind, key, value);
  return value;
}

/** The bytes of memory that a value takes at most. A character may take two. Beyond `enough`, the rest isn't looked at. */
function sizeOf(value: unknown, enough = Number.POSITIVE_INFINITY): number {
  if (typeof value === 'string') return 24 + 2 * value.length;
  if (typeof value !== 'object' || value === null) return 16;
  if (Buffer.isBuffer(value)) return 200 + value.length;
  if (value instanceof Date) return 100;
  let bytes = 40;
  for (const part of Array.isArray(value) ? value : Object.values(value)) {
    bytes += 8 + sizeOf(part, enough);
    if (bytes > enough) break;
  }
  return bytes;
}
