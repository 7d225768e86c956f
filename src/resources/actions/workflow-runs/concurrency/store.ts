import { type Selectable, sql } from 'kysely';
import type { Db, OrSql, Tx } from '#database/connect.ts';
import { listWalked, orderById } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import type { Id, RepositoryId } from '#lib/id.ts';
import type { Page, Walked } from '#lib/page.ts';

export type GroupRow = Selectable<DB['concurrency_groups']>;
export type MemberRow = Selectable<DB['concurrency_group_members']>;
type Group = Id<'concurrency_groups'>;

/** A run, one of its jobs, or a call of a workflow in it (a `Lease`, by its key). */
export type MemberKey = {
  readonly run: Id<'workflow_runs'>;
  readonly job: Id<'workflow_jobs'> | null;
  readonly call?: { readonly key: string; readonly name: string } | null;
};

/** Finds or creates the group with this name. */
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

/** A group with its row locked. Changing which member is in progress requires this lock, and no other. */
export const findGroupForUpdate = (tx: Tx, id: Group): Promise<GroupRow | undefined> =>
  tx.selectFrom('concurrency_groups').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();

/** Adds a member. @returns false if it already was a member */
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

/** Removes a run with its calls, or a job, from their groups. @returns these groups */
export async function removeMember(tx: Tx, { run, job }: Pick<MemberKey, 'run' | 'job'>): Promise<Group[]> {
  const { rows } = await sql<{ group_id: Group }>`
    delete from concurrency_group_members where run_id = ${run} and job_id is not distinct from ${job}
    returning group_id`.execute(tx);
  return rows.map(({ group_id }) => group_id);
}

/** The memberships of a run's calls, oldest first. */
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

/** Marks a call as cancelled. @returns false if it already was, or is no longer a member */
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

/** Only groups with members exist for the API, since the last member may not have removed the row yet. */
const hasMembers = sql<boolean>`exists (select from concurrency_group_members m where m.group_id = concurrency_groups.id)`;

/** A group that has members, by its name, regardless of case. */
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

/** Removes a group without members. Its row is locked. */
export const removeGroup = async (tx: Tx, id: Group): Promise<void> => {
  await tx.deleteFrom('concurrency_groups').where('id', '=', id).execute();
};

/** A member with the names of its run and of its job, or of the calling job. */
export type NamedMember = MemberRow & { run_name: string; job_name: string | null };

/** The prefixes of the key of a job behind calls: the keys of the calls, with and without a trailing slash. */
export const callKeysAbove = async (db: Db, job: Id<'workflow_jobs'>): Promise<{ run: Id<'workflow_runs'>; keys: string[] }[]> =>
  (await db.selectFrom('workflow_jobs').select(['run_id', 'key']).where('id', '=', job).execute()).map(({ run_id, key }) => ({
    run: run_id,
    keys: [...key.matchAll(/\//g)].flatMap(({ index }) => [key.slice(0, index), key.slice(0, index + 1)]),
  }));

/** The members of groups: first those in progress, then those that wait, oldest first. */
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

/** The members of a group, oldest first. */
export const listMembers = (db: Db, group: Group): Promise<MemberRow[]> =>
  db.selectFrom('concurrency_group_members').selectAll().where('group_id', '=', group).orderBy('id').execute();

/** Marks a member of a group as in progress. */
export async function giveGroup(tx: Tx, { id, group_id }: MemberRow, now: Date): Promise<void> {
  await tx.updateTable('concurrency_group_members').set({ status: 'in_progress' }).where('id', '=', id).execute();
  await tx.updateTable('concurrency_groups').set({ last_acquired_at: now }).where('id', '=', group_id).execute();
}
