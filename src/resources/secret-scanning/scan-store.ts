import type { Insertable, Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';

export type ScanRow = Selectable<DB['secret_scans']>;

/** Of these repositories, those that are scanned for secrets. */
export const listScanned = async (db: Db, ids: readonly Id<'repositories'>[]): Promise<Id<'repositories'>[]> =>
  (await db.selectFrom('repositories').select('id').where('id', 'in', ids).where('secret_scanning', '=', true).execute()).map(
    ({ id }) => id,
  );

/** Repositories that are scanned, and weren't with the present patterns. */
export const listOutdated = async (db: Db, names: readonly string[]): Promise<Id<'repositories'>[]> =>
  (
    await sql<{ id: Id<'repositories'> }>`select r.id from repositories r where r.secret_scanning and not exists (
      select from secret_scans s where s.repository_id = r.id and s.patterns = any (${[...names]}))
      order by r.id`.execute(db)
  ).rows.map(({ id }) => id);

export const findRunningScan = (db: Db, repository: Id<'repositories'>): Promise<ScanRow | undefined> =>
  db
    .selectFrom('secret_scans')
    .selectAll()
    .where('repository_id', '=', repository)
    .where('completed_at', 'is', null)
    .executeTakeFirst();

/** The last scan that ended. */
export const findLastScan = (db: Db, repository: Id<'repositories'>): Promise<ScanRow | undefined> =>
  db
    .selectFrom('secret_scans')
    .selectAll()
    .where('repository_id', '=', repository)
    .where('completed_at', 'is not', null)
    .orderBy('id', 'desc')
    .executeTakeFirst();

/** All scans that are kept: the last of each type, and the one that runs. */
export const listScans = (db: Db, repository: Id<'repositories'>): Promise<ScanRow[]> =>
  db.selectFrom('secret_scans').selectAll().where('repository_id', '=', repository).orderBy('id', 'desc').execute();

/** Inserts a scan, unless another one runs. */
export const insertScan = (tx: Tx, row: Insertable<DB['secret_scans']>): Promise<ScanRow | undefined> =>
  tx
    .insertInto('secret_scans')
    .values(row)
    .onConflict((clash) => clash.doNothing())
    .returningAll()
    .executeTakeFirst();

/** Notes how far a scan is; `completed_at` where it has ended. */
export const updateScan = (tx: Tx, id: ScanRow['id'], change: { done: number; completed_at: Date | null }) =>
  tx.updateTable('secret_scans').set(change).where('id', '=', id).execute();

/** Removes the scans that ended before this one and have its type, and what later scans don't need of others. */
export const removeEarlierScans = (tx: Tx, { id, repository_id, type }: ScanRow) =>
  tx
    .deleteFrom('secret_scans')
    .where('repository_id', '=', repository_id)
    .where('type', '=', type)
    .where('id', '<', id)
    .execute();

/** Forgets what was scanned, so that repositories are scanned whole when they are scanned again. */
export const removeScans = (tx: Tx, repositories: readonly Id<'repositories'>[]) =>
  tx.deleteFrom('secret_scans').where('repository_id', 'in', repositories).execute();
