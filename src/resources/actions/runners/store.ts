import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import { type Db, type OrSql, sendUnawaited, type Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import { gather } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';

export type RunnerRow = Selectable<DB['runners']>;
type RunnerTokenRow = Selectable<DB['runner_tokens']>;

/** The owner of a runner: an organization or a repository. */
export type RunnerOwner =
  | { readonly organization: Id<'accounts'>; readonly repository?: undefined }
  | { readonly organization?: undefined; readonly repository: Id<'repositories'> };

/** The owner whose runners are looked up, as rows or as SQL. */
type Among =
  | { readonly organization: OrSql<Id<'accounts'>>; readonly group?: Id<'runner_groups'>; readonly repository?: undefined }
  | { readonly organization?: undefined; readonly repository: OrSql<Id<'repositories'>> };

/** Self-hosted runners. */
const runnersOf = (db: Db, among: Among) => {
  const all = db.selectFrom('runners').selectAll().where('hosted_runner_id', 'is', null);
  if (among.organization === undefined) return all.where('repository_id', '=', among.repository);
  const ofOrganization = all.where('organization_id', '=', among.organization);
  return among.group === undefined ? ofOrganization : ofOrganization.where('runner_group_id', '=', among.group);
};

/**
 * A page of the runners of an organization or a repository; with a name, only the runners with that name, regardless of case;
 * with a group, only the runners in it.
 */
export function listRunners(
  db: Db,
  owner: RunnerOwner,
  { name, group, page }: { name?: string | undefined; group?: Id<'runner_groups'>; page: Page },
): Promise<Listed<RunnerRow>> {
  const all = runnersOf(db, owner.organization === undefined || group === undefined ? owner : { ...owner, group }).orderBy('id');
  return list(db, name === undefined ? all : all.where(sql`lower(name)`, '=', name.toLowerCase()), page);
}

export const selectRunner = (db: Db, owner: Among, id: Id<'runners'>) => runnersOf(db, owner).where('id', '=', id);

/** Reads the runner again and locks its row; undefined if it was deleted. */
export const findRunnerForUpdate = (tx: Tx, { id }: Pick<RunnerRow, 'id'>): Promise<RunnerRow | undefined> =>
  tx.selectFrom('runners').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();

/** The given runners that have a job. */
export async function listBusy(db: Db, ids: readonly Id<'runners'>[]): Promise<(Id<'runners'> | null)[]> {
  if (ids.length === 0) return [];
  const busy = db.selectFrom('workflow_jobs').select('runner_id').distinct().where('runner_id', 'in', ids);
  return gather(await busy.where('status', '=', 'in_progress').execute(), 'runner_id');
}

export const findRunnerByUuid = (db: Db, uuid: string): Promise<RunnerRow | undefined> =>
  db.selectFrom('runners').selectAll().where('uuid', '=', uuid).executeTakeFirst();

export const insertRunner = (tx: Tx, row: Insertable<DB['runners']>): Promise<RunnerRow | undefined> =>
  tx
    .insertInto('runners')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();

export const updateRunner = (tx: Tx, id: Id<'runners'>, change: Updateable<DB['runners']>): Promise<RunnerRow | undefined> =>
  tx.updateTable('runners').set(change).where('id', '=', id).returningAll().executeTakeFirst();

export const removeRunner = (tx: Tx, id: Id<'runners'>) => tx.deleteFrom('runners').where('id', '=', id).execute();

/** Stores when runners were last seen. */
export const noteSeen = (db: Db, ids: readonly Id<'runners'>[], now: Date) =>
  db.updateTable('runners').set({ seen_at: now }).where(anyOf(ids)).execute();

export const insertRunnerToken = (tx: Tx, row: Insertable<DB['runner_tokens']>) =>
  tx.insertInto('runner_tokens').values(row).execute();

/** A token that hasn't expired. */
export const findRunnerToken = (
  db: Db,
  { hash, purpose, now }: { hash: Buffer; purpose: RunnerTokenRow['purpose']; now: Date },
): Promise<RunnerTokenRow | undefined> =>
  db
    .selectFrom('runner_tokens')
    .selectAll()
    .where('token_hash', '=', hash)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now)
    .executeTakeFirst();

/** The programs that run the jobs of hosted runners, and whether each has a job. */
export async function listHostedInstances(db: Db): Promise<HostedInstance[]> {
  const { rows } = await sql<HostedInstance>`
    select r.id, r.name, r.hosted_runner_id, r.created_at, exists (
      select from workflow_jobs j where j.runner_id = r.id and j.status = 'in_progress') as has_job
    from runners r where r.hosted_runner_id is not null order by r.id`.execute(db);
  return rows;
}

export type HostedInstance = Pick<RunnerRow, 'id' | 'name' | 'created_at'> & {
  readonly hosted_runner_id: Id<'hosted_runners'>;
  readonly has_job: boolean;
};

/** Removes a runner that has no job. @returns whether it was removed */
export const removeIdle = async (tx: Tx, id: Id<'runners'>): Promise<boolean> =>
  (
    await tx
      .deleteFrom('runners')
      .where('id', '=', id)
      .where(sql<boolean>`not exists (select from workflow_jobs j where j.runner_id = runners.id and j.status = 'in_progress')`)
      .returning('id')
      .execute()
  ).length > 0;

/** Removes a single-use runner after its job. The runner of a hosted job is removed with its program. */
export const removeSpent = async (tx: Tx, id: Id<'runners'>): Promise<void> => {
  await tx
    .deleteFrom('runners')
    .where('id', '=', id)
    .where('is_ephemeral', '=', true)
    .where('hosted_runner_id', 'is', null)
    .execute();
};

/** Removes single-use runners without a job that haven't been seen since a time, up to a limit. */
export async function removeForgotten(tx: Tx, before: Date, limit: number): Promise<void> {
  await sql`
    delete from runners where id in (
      select r.id from runners r
      where r.is_ephemeral and r.hosted_runner_id is null and coalesce(r.seen_at, r.created_at) < ${before}
        and not exists (select from workflow_jobs j where j.runner_id = r.id and j.status = 'in_progress')
      order by r.id limit ${limit})`.execute(tx);
}

/** The given ids that belong to self-hosted runners of an organization. */
export const keepRunners = async (db: Db, organization: Id<'accounts'>, ids: readonly number[]): Promise<Id<'runners'>[]> =>
  gather(await runnersOf(db, { organization }).where(anyOf(ids)).execute(), 'id');

/** Moves runners to a group. */
export const moveRunners = (tx: Tx, ids: readonly Id<'runners'>[], group: Id<'runner_groups'>) =>
  tx.updateTable('runners').set({ runner_group_id: group }).where(anyOf(ids)).execute();

/** Moves the runners of a group, except the given ones, to another group. */
export const moveOthers = (
  tx: Tx,
  { from, to, but }: { from: Id<'runner_groups'>; to: Id<'runner_groups'>; but: readonly Id<'runners'>[] },
) =>
  tx
    .updateTable('runners')
    .set({ runner_group_id: to })
    .where('runner_group_id', '=', from)
    .where(sql<boolean>`not ${anyOf(but)}`)
    .execute();

const anyOf = (ids: readonly number[]) => sql<boolean>`id = any (${[...ids]}::bigint[])`;

/** Notifies all processes, when the transaction is committed, that jobs wait or that runners may take more jobs. */
export const notifyQueued = (tx: Tx): void => sendUnawaited(tx, sql`select pg_notify(${queuedChannel}, '')`.compile(tx));

/** The channel of `notifyQueued`. */
export const queuedChannel = 'hearth_workflow_jobs';
