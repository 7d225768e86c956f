// Releases and their files in batches, for archives, and as archives bring them. No events are recorded for those that come.
import { type Insertable, sql } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import { chunks, gather, keyed } from '#lib/collections.ts';
import { asId, type Id } from '#lib/id.ts';
import { type AssetRow, loadKnownKeys } from './asset-store.ts';
import type { ReleaseRow } from './store.ts';

/** Where a list of releases goes on: after the one of this time, to the microsecond, and id. */
export type ReleaseKey = { at: string; id: Id<'releases'> };
export const firstRelease: ReleaseKey = { at: '-infinity', id: asId(0) };

/** The releases of a repository after one of them, oldest first, with drafts. */
export async function listReleasesAfter(
  db: Db,
  repository: Id<'repositories'>,
  after: ReleaseKey,
  limit: number,
): Promise<(ReleaseRow & { key: ReleaseKey })[]> {
  const rows = await db
    .selectFrom('releases')
    .selectAll()
    .select(sql<string>`created_at::text`.as('at'))
    .where('repository_id', '=', repository)
    .where(sql<boolean>`(created_at, id) > (${after.at}::timestamptz, ${after.id}::bigint)`)
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ at, ...row }) => ({ ...row, key: { at, id: row.id } }));
}

/** Files of releases by their ids. */
export async function loadAssetsById(db: Db, ids: readonly Id<'release_assets'>[]): Promise<Map<Id<'release_assets'>, AssetRow>> {
  const rows = await db
    .selectFrom('release_assets')
    .selectAll()
    .where(sql<boolean>`id = any (${[...ids]}::bigint[])`)
    .execute();
  return keyed(rows, ({ id }) => id);
}

/** Inserts releases. Returns their ids in the same order. */
export async function insertImportedReleases(tx: Tx, releases: readonly Insertable<DB['releases']>[]): Promise<Id<'releases'>[]> {
  if (releases.length === 0) return [];
  const rows = await tx
    .insertInto('releases')
    .values([...releases])
    .returning('id')
    .execute();
  // Ids are given in the order of the values.
  return gather(rows, 'id').sort((a, b) => a - b);
}

/** Files that are inserted at once. */
const filesPerBatch = 500;

/** Inserts files of releases, in their order. Their bytes are in the store of objects. */
export async function insertImportedAssets(tx: Tx, assets: readonly Insertable<DB['release_assets']>[]): Promise<void> {
  for (const some of chunks(assets, filesPerBatch)) await tx.insertInto('release_assets').values(some).execute();
}

const importLock = sql`hashtextextended('imports of files of releases', 0)`;

/** Until the end of the transaction, objects that no file has yet stay in the store, however old they are. */
export const keepObjects = (tx: Tx) => sql`select pg_advisory_xact_lock_shared(${importLock})`.execute(tx);

/** Whether a transaction keeps objects. */
export async function areObjectsKept(db: Db): Promise<boolean> {
  const { rows } = await sql<{ free: boolean }>`select pg_try_advisory_xact_lock(${importLock}) as free`.execute(db);
  return rows[0]?.free !== true;
}

/** Which of these objects belong to files, or may do so soon. */
export async function loadKnownObjects(db: Db, keys: readonly string[]): Promise<Set<string>> {
  if (!(await areObjectsKept(db))) return loadKnownKeys(db, keys);
  return new Set(keys.filter((key) => /^\d+\//.test(key)));
}
