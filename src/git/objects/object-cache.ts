import { LRUCache } from 'lru-cache';
import type { GitLimits, GitRepository } from '../repo.ts';

/** A kind of cached values. The meaning of their keys never changes: an object, or a result that depends only on objects. */
export type Kind<V> = { readonly name: string; readonly value?: V };

export const kindOf = <V>(name: string): Kind<V> => ({ name });

/**
 * Recently read data of repositories, within a limit in bytes. Keys are object names, so no value is ever stale. Refs aren't
 * cached, and neither is the existence of an object: git looks up the names in a request, and only data below them comes from
 * here.
 */
export type ObjectCache = {
  get<V>(repo: GitRepository, kind: Kind<V>, key: string): V | undefined;
  /** Stores a value, which must not change afterwards. */
  set<V extends object | number>(repo: GitRepository, kind: Kind<V>, key: string, value: V): void;
  /** Drops the values of a repository that is removed. */
  drop(repo: Pick<GitRepository, 'id'>): void;
  /** The total size of all values in bytes. */
  size(): number;
};

/** The maximum size of a value, as a part of the whole cache. */
const largestPart = 1 / 64;
/** The bytes that an entry takes in addition to its key and value. */
const entryBytes = 300;

/** Makes an empty cache. A process has one for all its repositories. */
export function makeObjectCache({ cache: maxSize }: Pick<GitLimits, 'cache'>): ObjectCache {
  const entries = new LRUCache<string, object | number>({ maxSize });
  const largest = maxSize * largestPart;
  const keyOf = ({ id }: Pick<GitRepository, 'id'>, kind: Kind<unknown>, key: string): string => `${id} ${kind.name} ${key}`;
  return {
    // The kind is a part of the key, so the value has the type of its kind.
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

/** Objects of a push that isn't accepted yet, of a fork's network, or of a draft may be read for one purpose only. */
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

/** The maximum number of bytes of memory that a value takes. A character may take two. Beyond `enough`, the rest is skipped. */
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
