import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import type { Reader } from '#search/read.ts';
import { countHits, type Where } from './hits.ts';

/** What a search looks for, and in which repositories. */
export type Selected = { where: Where; repositories: readonly Id<'repositories'>[] };

type Counted = { version: number; total: number };

const kept = new WeakMap<Db, LRUCache<string, Counted>>();
const most = 10_000;

/**
 * How many files match. A total is kept until a file of its repositories changes: each page of a search tells it, and common
 * words are searched for again and again.
 */
export async function totalOf({ db, tx }: { db: Db; tx: Reader }, { where, repositories }: Selected): Promise<number> {
  const totals = kept.get(db) ?? new LRUCache<string, Counted>({ max: most });
  kept.set(db, totals);
  const { sql: text, parameters } = sql`${where()}`.compile(db);
  const key = createHash('sha256')
    .update(JSON.stringify([text, parameters]))
    .digest('base64');
  // Read before the files are counted: a change in between makes the version too old, never the total.
  const version = await versionOf(tx, repositories);
  const known = totals.get(key);
  if (known?.version === version) return known.total;
  const total = await countHits(tx, where);
  totals.set(key, { version, total });
  return total;
}

/** Versions only grow, so their sum is another one after any change. */
async function versionOf(db: Reader, repositories: readonly Id<'repositories'>[]): Promise<number> {
  const { rows } = await sql<{ version: number }>`
    select coalesce(sum(version), 0)::bigint as version from code_indexes where repository_id = any(${repositories}::bigint[])`.execute(
    db,
  );
  return rows[0]?.version ?? 0;
}
