import { type Selectable, sql } from 'kysely';
import type { Db, OrSql, Tx } from '#database/connect.ts';
import { listWalked, orderById } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import type { Id, RepositoryId } from '#lib/id.ts';
import type { Page, Walked } from '#lib/page.ts';

export type GroupRow = Selectable<DB['concurrency_groups']>;
export type MemberRow = Selectable<DB['concurrency_group_members']>;
type Group = Id<'concurrency_groups'>;

/** A run, a job of it, or a call of a workflow in it (a `Lease`, by its key). */
export type MemberKey = {
  readonly run: Id<'workflow_runs'>;
  readonly job: Id<'workflow_jobs'> | null;
  readonly call?: { readonly key: string; readonly name: string } | null;
};

/** Adds a group of this name, or gives the one that is there. */
export async function putGroup(tx: Tx, repository: RepositoryId, name: string): Promise<Group> {
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

/** Adds a member. @returns whether it was none before */
export const insertMember = async (
  tx: Tx,
  { run, job, call, group, cancelsInProgress }: MemberKey & { readonly group: Group; readonly cancelsInProgress: boolean },
): Promise<boolean> => {
  const added = await tx
    .insertInto('concurrency_group_members')
    .values({
      group_id: group,
      run_id: run,
      job_id: job,
      call_key: call?.key ?? null,
      call_name: call?.name ?? null,
      status: 'pending',
      cancels_in_progress: cancelsInProgress,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .execute();
  return added.length > 0;
};

/** Removes the membership of a run, with those of its calls, or of a job. @returns the groups that they were in */
export async function removeMember(tx: Tx, { run, job }: Pick<MemberKey, 'run' | 'job'>): Promise<Group[]> {
  const { rows } = await sql<{ group_id: Group }>`
    delete from concurrency_group_members where run_id = ${run} and job_id is not distinct from ${job}
    returning group_id`.execute(tx);
  return rows.map(({ group_id }) => group_id);
}

/** The memberships of the calls of a run, in the order in which they came. */
export const listCallMembers = (db: Db, run: Id<'workflow_runs'>): Promise<MemberRow[]> =>
  db
    .selectFrom('concurrency_group_members')
    .selectAll()
    .where('run_id', '=', run)
    .where('call_key', 'is not', null)
    .orderBy('id')
    .execute();

export const removeCallMember = async (tx: Tx, { id }: Pick<MemberRow, 'id'>): Promise<void> => {
  await tx.deleteFrom('concurrency_group_members').where('id', '=', id).execute();
};

/** Notes that a call is cancelled. @returns whether it was not before, and is still a member */
export async function cancelCallMember(tx: Tx, { id }: Pick<MemberRow, 'id'>): Promise<boolean> {
  const changed = await tx
    .updateTable('concurrency_group_members')
    .set({ is_cancelled: true })
    .where('id', '=', id)
    .where('is_cancelled', '=', false)
    .returning('id')
    .execute();
  return changed.length > 0;
}

const groups = (db: Db) => db.selectFrom('concurrency_groups').selectAll();

/** A group is there while it has members: who is the last to leave it may not have removed it yet. */
const hasMembers = sql<boolean>`exists (select from concurrency_group_members m where m.group_id = concurrency_groups.id)`;

/** A group that has members, by its name in any case. */
export const selectGroup = (db: Db, repository: OrSql<RepositoryId>, name: string) =>
  groups(db).where('repository_id', '=', repository).where(sql<boolean>`lower(name) = lower(${name})`).where(hasMembers);

const byId = orderById('concurrency_groups', 'asc');

/** The groups of a repository that have members. */
export const listGroups = (db: Db, repository: RepositoryId, page: Page): Promise<Walked<GroupRow>> =>
  listWalked(db, groups(db).where('repository_id', '=', repository).where(hasMembers), byId, page);

/** The groups that a run or one of its jobs is in. */
export const listGroupsOfRun = (db: Db, run: Id<'workflow_runs'>, page: Page): Promise<Walked<GroupRow>> =>
  listWalked(
    db,
    groups(db).where(
      sql<boolean>`exists (
        select from concurrency_group_members m where m.group_id = concurrency_groups.id and m.run_id = ${run})`,
    ),
    byId,
    page,
  );

/** Removes a group that nobody is in. Its row is locked. */
export const removeGroup = async (tx: Tx, id: Group): Promise<void> => {
  await tx.deleteFrom('concurrency_groups').where('id', '=', id).execute();
};

/** A member with the names of its run and of its job, or of the job that calls. */
export type NamedMember = MemberRow & { run_name: string; job_name: string | null };

/** What the key of a job begins with that calls lead to: those of the calls, with and without the slash at their ends. */
export const callKeysAbove = async (db: Db, job: Id<'workflow_jobs'>): Promise<{ run: Id<'workflow_runs'>; keys: string[] }[]> =>
  (await db.selectFrom('workflow_jobs').select(['run_id', 'key']).where('id', '=', job).execute()).map(({ run_id, key }) => ({
    run: run_id,
    keys: [...key.matchAll(/\//g)].flatMap(({ index }) => [key.slice(0, index), key.slice(0, index + 1)]),
  }));

/** The members of some groups, who has its turn first, then those that wait, in the order in which they came. */
export const listNamedMembers = async (db: Db, ids: readonly Group[]): Promise<NamedMember[]> =>
  ids.length === 0
    ? []
    : db
        .selectFrom('concurrency_group_members as m')
        .innerJoin('workflow_runs as r', 'r.id', 'm.run_id')
        .leftJoin('workflow_jobs as j', 'j.id', 'm.job_id')
        .selectAll('m')
        .select(['r.name as run_name', (of) => of.fn.coalesce('j.name', 'm.call_name').as('job_name')])
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
