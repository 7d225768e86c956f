import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';

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

/** The members of a group, in the order in which they came. */
export const listMembers = (db: Db, group: Group): Promise<MemberRow[]> =>
  db.selectFrom('concurrency_group_members').selectAll().where('group_id', '=', group).orderBy('id').execute();

/** Gives a group to one of its members. */
export async function giveGroup(tx: Tx, { id, group_id }: MemberRow, now: Date): Promise<void> {
  await tx.updateTable('concurrency_group_members').set({ status: 'in_progress' }).where('id', '=', id).execute();
  await tx.updateTable('concurrency_groups').set({ last_acquired_at: now }).where('id', '=', group_id).execute();
}
