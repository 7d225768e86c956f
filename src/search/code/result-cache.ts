import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import type { Reader } from '#search/read.ts';
import type { Where } from './hits.ts';

/** Which files a search looks for, and in which repositories. */
export type Selected = { where: Where; repositories: readonly Id<'repositories'>[] };

/** What is asked, and the version of the searched repositories at which the answer holds. */
export type CacheKey = { key: string; version: number };

/**
 * The cache key of a request about the selected files; `also` is what else the answer depends on. Take it before the files are
 * read: a change in between makes the version too old, never the answer.
 */
export async function cacheKeyOf(
  { db, tx }: { db: Db; tx: Reader },
  { where, repositories }: Selected,
  ...also: readonly unknown[]
): Promise<CacheKey> {
  const { sql: text, parameters } = sql`${where()}`.compile(db);
  const request = JSON.stringify([text, parameters, also]);
  // Versions only grow, so their sum is another one after any change.
  const { rows } = await sql<{ version: number }>`
    select coalesce(sum(version), 0)::bigint as version from code_indexes
    where repository_id = any(${repositories}::bigint[])`.execute(tx);
  return { key: createHash('sha256').update(request).digest('base64'), version: rows[0]?.version ?? 0 };
}

/** Answers that took time to find, the latest ones, each until a file of its repositories changes. */
export type ResultCache<T> = {
  get(db: Db, stamp: CacheKey): T | undefined;
  set(db: Db, stamp: CacheKey, answer: T): void;
};

/** Keeps answers up to a size in all; each process has its own. */
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
