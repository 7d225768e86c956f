import { type Selectable, sql } from 'kysely';
import type { Db, OrSql, Tx } from '#database/connect.ts';
import { listCountedSince } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';
import type { ListedAfter, Page } from '#lib/page.ts';

export type GroupRow = Selectable<DB['concurrency_groups']>;
export type MemberRow = Selectable<DB['concurrency_group_members']>;
type Repository = Id<'repositories'>;
type Group = Id<'concurrency_groups'>;

/** A run, or a job of it. */
export type MemberKey = { readonly run: Id<'workflow_runs'>; readonly job: Id<'workflow_jobs'> | null };

/** Adds a group of this name, or gives the one that is there. */
export async function putGroup(tx: Tx, repository: Repository, name: string): Promise<Group> {
  const { id } = await tx
    .insertInto('concurrency_groups')
    .values({ repository_id: repository, name })
    .onConflict((conflict) =>
      conflict
        .expression(sql`repository_id, lower(name)`)
        .doUpdateSet((row) => ({ repository_id: row.ref('excluded.repository_id') })),
    )
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** A group, its row locked: who changes which of its members is in progress holds this lock, and no other. */
export const findGroupForUpdate = (tx: Tx, id: Group): Promise<GroupRow | undefined> =>
  tx.selectFrom('concurrency_groups').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();

export const insertMember = (
  tx: Tx,
  { run, job, group, cancelsInProgress }: MemberKey & { readonly group: Group; readonly cancelsInProgress: boolean },
) =>
  tx
    .insertInto('concurrency_group_members')
    .values({ group_id: group, run_id: run, job_id: job, status: 'pending', cancels_in_progress: cancelsInProgress })
    .onConflict((conflict) => conflict.doNothing())
    .execute();

/** Removes the membership of a run or job. @returns the group that it was in */
export async function removeMember(tx: Tx, { run, job }: MemberKey): Promise<Group | undefined> {
  const { rows } = await sql<{ group_id: Group }>`
    delete from concurrency_group_members where run_id = ${run} and job_id is not distinct from ${job} returning group_id`.execute(
    tx,
  );
  return rows[0]?.group_id;
}

const groups = (db: Db) => db.selectFrom('concurrency_groups').selectAll();

/** A group is there while it has members: who is the last to leave it may not have removed it yet. */
const hasMembers = sql<boolean>`exists (select from concurrency_group_members m where m.group_id = concurrency_groups.id)`;

/** A group that has members, by its name in any case. */
export const selectGroup = (db: Db, repository: OrSql<Repository>, name: string) =>
  groups(db).where('repository_id', '=', repository).where(sql<boolean>`lower(name) = lower(${name})`).where(hasMembers);

/** The groups of a repository that have members. */
export const listGroups = (db: Db, repository: Repository, page: Page): Promise<ListedAfter<GroupRow>> =>
  listCountedSince(db, groups(db).where('repository_id', '=', repository).where(hasMembers), 'id', page);

/** The groups that a run or one of its jobs is in. */
export const listGroupsOfRun = (db: Db, run: Id<'workflow_runs'>, page: Page): Promise<ListedAfter<GroupRow>> =>
  listCountedSince(
    db,
    groups(db).where(
      sql<boolean>`exists (
        select from concurrency_group_members m where m.group_id = concurrency_groups.id and m.run_id = ${run})`,
    ),
    'id',
    page,
  );

/** Removes a group that nobody is in. Its row is locked. */
export const removeGroup = async (tx: Tx, id: Group): Promise<void> => {
  await tx.deleteFrom('concurrency_groups').where('id', '=', id).execute();
};

/** A member with the names of its run and of its job. */
export type NamedMember = MemberRow & { run_name: string; job_name: string | null };

/** The members of some groups, who has its turn first, then those that wait, in the order in which they came. */
export const listNamedMembers = async (db: Db, ids: readonly Group[]): Promise<NamedMember[]> =>
  ids.length === 0
    ? []
    : db
        .selectFrom('concurrency_group_members as m')
        .innerJoin('workflow_runs as r', 'r.id', 'm.run_id')
        .leftJoin('workflow_jobs as j', 'j.id', 'm.job_id')
        .selectAll('m')
        .select(['r.name as run_name', 'j.name as job_name'])
        .where('m.group_id', 'in', [...ids])
        .orderBy(sql`m.status <> 'in_progress'`)
        .orderBy('m.id')
        .execute();

/** The members of a group, in the order in which they came. */
export const listMembers = (db: Db, group: Group): Promise<MemberRow[]> =>
  db.selectFrom('concurrency_group_members').selectAll().where('group_id', '=', group).orderBy('id').execute();

/** Gives a group to one of its members. */
export async function giveGroup(tx: Tx, { id, group_id }: MemberRow, now: Date): Promise<void> {
  await tx.updateTable('concurrency_group_members').set({ status: 'in_progress' }).where('id', '=', id).execute();
  await tx.updateTable('concurrency_groups').set({ last_acquired_at: now }).where('id', '=', group_id).execute();
}
