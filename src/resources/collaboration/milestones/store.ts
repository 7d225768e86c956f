import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Db, OrSql, Tx } from '#database/connect.ts';
import { list, listAfter } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import type { Loader } from '#endpoint/loaders.ts';
import { keyed, unique } from '#lib/collections.ts';
import type { Id, RepositoryId } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';

/** A milestone with its numbers of open and closed issues. */
export type MilestoneRow = Selectable<DB['milestones']> & { open_issues: number; closed_issues: number };

/** Milestones with their numbers of issues. */
export const counted = (db: Db) =>
  db
    .selectFrom('milestones')
    .selectAll()
    .select([
      sql<number>`(select count(*) from issues i where i.milestone_id = milestones.id and i.state = 'open')`.as('open_issues'),
      sql<number>`(select count(*) from issues i where i.milestone_id = milestones.id and i.state = 'closed')`.as(
        'closed_issues',
      ),
    ]);

type MilestoneOrder = { sort: 'due_on' | 'completeness'; direction: 'asc' | 'desc' };

export function listMilestones(
  db: Db,
  repository: RepositoryId,
  { state, order: { sort, direction } }: { state: 'open' | 'closed' | 'all'; order: MilestoneOrder },
  page: Page,
): Promise<Listed<MilestoneRow>> {
  let query = counted(db).where('repository_id', '=', repository);
  if (state !== 'all') query = query.where('state', '=', state);
  const completeness = sql`(select coalesce(avg((i.state = 'closed')::int), 0) from issues i
    where i.milestone_id = milestones.id)`;
  const key = sort === 'due_on' ? sql`due_on` : completeness;
  const order = direction === 'asc' ? sql`${key} asc nulls last` : sql`${key} desc nulls last`;
  return list(db, query.orderBy(order).orderBy('number'), page);
}

export const selectMilestone = (db: Db, repository: OrSql<RepositoryId>, number: number) =>
  counted(db).where('repository_id', '=', repository).where('number', '=', number);

export const findMilestone = (db: Db, repository: RepositoryId, number: number): Promise<MilestoneRow | undefined> =>
  selectMilestone(db, repository, number).executeTakeFirst();

/** Reads the milestone again and locks its row; undefined if it was deleted. */
export const findMilestoneForUpdate = (tx: Tx, { id }: Pick<MilestoneRow, 'id'>): Promise<MilestoneRow | undefined> =>
  counted(tx).where('id', '=', id).forUpdate().executeTakeFirst();

/** The milestones of issues, of which a scope loads each once. */
export const milestoneRows: Loader<Id<'milestones'>, MilestoneRow> = ({ db }, ids) => loadMilestones(db, ids);

export async function loadMilestones(
  db: Db,
  ids: Iterable<Id<'milestones'> | null>,
): Promise<Map<Id<'milestones'>, MilestoneRow>> {
  const wanted = unique(ids);
  if (wanted.length === 0) return new Map();
  return keyed(await counted(db).where('id', 'in', wanted).execute(), (row) => row.id);
}

/** Adds a milestone with the next number of its repository; undefined if the title is taken. The repository must be locked. */
export async function insertMilestone(
  tx: Tx,
  row: Omit<Insertable<DB['milestones']>, 'number'>,
): Promise<Selectable<DB['milestones']> | undefined> {
  const next = sql<number>`(select coalesce(max(number), 0) + 1 from milestones where repository_id = ${row.repository_id})`;
  return tx
    .insertInto('milestones')
    .values({ ...row, number: next })
    .onConflict((conflict) => conflict.columns(['repository_id', 'title']).doNothing())
    .returningAll()
    .executeTakeFirst();
}

export const findMilestoneTitled = (db: Db, repository: RepositoryId, title: string) =>
  db.selectFrom('milestones').select('id').where('repository_id', '=', repository).where('title', '=', title).executeTakeFirst();

export const updateMilestone = (tx: Tx, id: Id<'milestones'>, change: Updateable<DB['milestones']>) =>
  tx.updateTable('milestones').set(change).where('id', '=', id).execute();

export const removeMilestone = (tx: Tx, id: Id<'milestones'>) => tx.deleteFrom('milestones').where('id', '=', id).execute();

/** The milestones of a repository after a number, in order. */
export const listMilestonesAfter = (db: Db, repository: RepositoryId, after: number, limit: number) =>
  listAfter(db.selectFrom('milestones').selectAll().where('repository_id', '=', repository), 'number', after, limit);
