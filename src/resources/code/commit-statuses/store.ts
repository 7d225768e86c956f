import { type Insertable, type Selectable, sql } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import type { Oid } from '#git/objects/oid.ts';
import type { Id } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';

export type StatusRow = Selectable<DB['commit_statuses']>;

type CommitKey = { repository: Id<'repositories'>; commit: Oid };

const ofCommit = (db: Db, { repository, commit }: CommitKey) =>
  db.selectFrom('commit_statuses').selectAll().where('repository_id', '=', repository).where('commit_sha', '=', commit);

/** All statuses of a commit, latest first. */
export const listStatuses = (db: Db, key: CommitKey, page: Page): Promise<Listed<StatusRow>> =>
  list(db, ofCommit(db, key).orderBy('id', 'desc'), page);

/** The latest status of each context of a commit, oldest first. */
export const listLatestStatuses = (db: Db, key: CommitKey, page: Page): Promise<Listed<StatusRow>> =>
  list(db, ofCommit(db, key).where('is_latest', '=', sql.lit(true)).orderBy('id'), page);

export type StateCounts = { failed: number; pending: number; total: number };

/** The number of a commit's latest statuses in each state. */
export async function countStates(db: Db, { repository, commit }: CommitKey): Promise<StateCounts> {
  const { rows } = await sql<StateCounts>`
    select count(*) filter (where state in ('error', 'failure')) as failed, count(*) filter (where state = 'pending') as pending,
      count(*) as total
    from commit_statuses where repository_id = ${repository} and commit_sha = ${commit} and is_latest`.execute(db);
  return rows[0] ?? { failed: 0, pending: 0, total: 0 };
}

/** The latest statuses of a commit for some contexts, in one statement. `app`: the app whose bot reported the status. */
export async function listLatestOfContexts(
  db: Db,
  { repository, commit }: CommitKey,
  contexts: readonly string[],
): Promise<(Pick<StatusRow, 'context' | 'state'> & { app: Id<'apps'> | null })[]> {
  return db
    .selectFrom('commit_statuses as s')
    .leftJoin('apps as a', 'a.bot_id', 's.creator_id')
    .select(['s.context', 's.state', 'a.id as app'])
    .where('s.repository_id', '=', repository)
    .where('s.commit_sha', '=', commit)
    .where('s.is_latest', '=', sql.lit(true))
    .where(sql<boolean>`s.context = any (${[...contexts]}::text[])`)
    .execute();
}

export const findStatus = (db: Db, id: Id<'commit_statuses'>): Promise<StatusRow | undefined> =>
  db.selectFrom('commit_statuses').selectAll().where('id', '=', id).executeTakeFirst();

/**
 * Marks the latest status of a commit with a context, regardless of case, as superseded. Returns its number; 0 if there is none.
 */
export async function updateSuperseded(tx: Tx, { repository, commit }: CommitKey, context: string): Promise<number> {
  const superseded = await tx
    .updateTable('commit_statuses')
    .set({ is_latest: false })
    .where('repository_id', '=', repository)
    .where('commit_sha', '=', commit)
    .where(sql<boolean>`lower(context) = lower(${context})`)
    .where('is_latest', '=', sql.lit(true))
    .returning('number')
    .executeTakeFirst();
  return superseded?.number ?? 0;
}

export const insertStatus = (tx: Tx, row: Insertable<DB['commit_statuses']>): Promise<StatusRow> =>
  tx.insertInto('commit_statuses').values(row).returningAll().executeTakeFirstOrThrow();
