import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import type { Reader } from '#search/read.ts';
import type { Where } from './hits.ts';

/** The files and repositories that a search covers. `isPartial`: the number of repositories was limited. */
export type Selected = { where: Where; repositories: readonly Id<'repositories'>[]; isPartial: boolean };

/** The hash of a request, and the version of the repositories for which its result is valid. */
export type CacheKey = { key: string; version: number };

/**
 * The cache key of a request about the selected files and the other `dependencies` of its result. It must be computed before the
 * files are read: after a concurrent change, a result becomes stale too early, but never too late.
 */
export async function cacheKeyOf(
  { db, tx }: { db: Db; tx: Reader },
  { where, repositories }: Selected,
  ...dependencies: readonly unknown[]
): Promise<CacheKey> {
  const { sql: text, parameters } = sql`${where()}`.compile(db);
  const request = JSON.stringify([text, parameters, dependencies]);
  // Versions only increase, so any change results in another sum.
  const { rows } = await sql<{ version: number }>`
    select coalesce(sum(version), 0)::bigint as version from code_indexes
    where repository_id = any(${repositories}::bigint[])`.execute(tx);
  return { key: createHash('sha256').update(request).digest('base64'), version: rows[0]?.version ?? 0 };
}

/** A cache of expensive results. Each is valid until a file of its repositories changes. */
type ResultCache<T> = {
  get(db: Db, key: CacheKey): T | undefined;
  set(db: Db, key: CacheKey, answer: T): void;
};

/** Makes a cache with a total size. Each process has its own. */
export function resultCache<T>(options: { maxSize: number; sizeOf(answer: T): number }): ResultCache<T> {
  type At = { version: number; answer: T };
  const caches = new WeakMap<Db, LRUCache<string, At>>();
  const cacheOf = (db: Db): LRUCache<string, At> => {
    const { maxSize, sizeOf } = options;
    const cache = caches.get(db) ?? new LRUCache({ maxSize, sizeCalculation: ({ answer }) => sizeOf(answer) });
    caches.set(db, cache);
    return cache;
  };
  return {
    get(db, { key, version }) {
      const known = cacheOf(db).get(key);
      return known?.version === version ? known.answer : undefined;
    },
    set: (db, { key, version }, answer) => void cacheOf(db).set(key, { version, answer }),
  };
}
