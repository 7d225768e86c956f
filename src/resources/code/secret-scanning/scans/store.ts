import type { Insertable, Selectable } from 'kysely';
import { sql } from 'kysely';
import type { RepositoryRow } from '#access/viewer.ts';
import type { Db, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import type { Scope } from '#endpoint/scope.ts';
import type { Recorded } from '#events/subscription.ts';
import { gather, unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { namedRepositories } from '#resources/repositories/repositories/index.ts';
import type { ScannedPattern } from '../custom-patterns/store.ts';

export type ScanRow = Selectable<DB['secret_scans']>;

/** What a run of a scan works with. */
export type Scanning = { readonly repo: ScannedRepository; readonly patterns: readonly ScannedPattern[] };

/** How far a run came, and whether the scan is done. */
export type ScanProgress = { readonly isDone: boolean; readonly progress: Progress };

type ScannedRepository = Pick<RepositoryRow, 'id' | 'owner_id' | 'secret_scanning_non_provider_patterns'>;

/** The repositories of events that are scanned for secrets. */
export async function loadScanned(
  { load }: Scope,
  events: readonly Pick<Recorded, 'repository'>[],
): Promise<ReadonlyMap<Id<'repositories'>, ScannedRepository>> {
  const repositories = await load.all(namedRepositories, unique(gather(events, 'repository')));
  return new Map([...repositories].filter(([, { secret_scanning }]) => secret_scanning));
}

/** Repositories with scanning on whose history or texts weren't scanned with the present patterns. */
export const listOutdated = async (db: Db, names: readonly string[]): Promise<Id<'repositories'>[]> =>
  (
    await sql<{ id: Id<'repositories'> }>`select r.id from repositories r where r.secret_scanning and 2 > (
      select count(distinct s.source) from secret_scans s where s.repository_id = r.id and s.patterns = any (${[...names]}))
      order by r.id`.execute(db)
  ).rows.map(({ id }) => id);

export const findRunningScan = (
  db: Db,
  repository: Id<'repositories'>,
  source: ScanRow['source'],
): Promise<ScanRow | undefined> =>
  db
    .selectFrom('secret_scans')
    .selectAll()
    .where('repository_id', '=', repository)
    .where('source', '=', source)
    .where('completed_at', 'is', null)
    .executeTakeFirst();

/** The last scan that ended. */
export const findLastScan = (db: Db, repository: Id<'repositories'>, source: ScanRow['source']): Promise<ScanRow | undefined> =>
  db
    .selectFrom('secret_scans')
    .selectAll()
    .where('repository_id', '=', repository)
    .where('source', '=', source)
    .where('completed_at', 'is not', null)
    .orderBy('id', 'desc')
    .executeTakeFirst();

/** All scans that are kept: the last of each type and source, and those that run. */
export const listScans = (db: Db, repository: Id<'repositories'>): Promise<ScanRow[]> =>
  db.selectFrom('secret_scans').selectAll().where('repository_id', '=', repository).orderBy('id', 'desc').execute();

/** Inserts a scan, unless another one of the same source runs. */
export const insertScan = (tx: Tx, row: Insertable<DB['secret_scans']>): Promise<ScanRow | undefined> =>
  tx
    .insertInto('secret_scans')
    .values(row)
    .onConflict((clash) => clash.doNothing())
    .returningAll()
    .executeTakeFirst();

/** How far a scan is: the number of commits that were read, or where it goes on with texts. */
type Progress = Pick<ScanRow, 'done'> | Pick<ScanRow, 'next_table' | 'next_at' | 'next_id'>;

/** Notes how far a scan is; `completed_at` where it has ended. */
export const updateScan = (tx: Tx, id: ScanRow['id'], change: Progress & { completed_at: Date | null }) =>
  tx.updateTable('secret_scans').set(change).where('id', '=', id).execute();

/** Removes the scans that ended before this one, of its type and source: later scans don't need them. */
export const removeEarlierScans = (tx: Tx, { id, repository_id, type, source }: ScanRow) =>
  tx
    .deleteFrom('secret_scans')
    .where('repository_id', '=', repository_id)
    .where('type', '=', type)
    .where('source', '=', source)
    .where('id', '<', id)
    .execute();

/** Forgets that the texts of repositories were scanned, so that all of them are scanned again. */
export const removeTextScans = (tx: Tx, repositories: readonly Id<'repositories'>[]) =>
  tx.deleteFrom('secret_scans').where('repository_id', 'in', repositories).where('source', '=', 'texts').execute();

/** Forgets what was scanned, so that repositories are scanned whole when they are scanned again. */
export const removeScans = (tx: Tx, repositories: readonly Id<'repositories'>[]) =>
  tx.deleteFrom('secret_scans').where('repository_id', 'in', repositories).execute();
