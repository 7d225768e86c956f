import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Db, OrSql, Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';

export type RunnerRow = Selectable<DB['hosted_runners']>;
type Organization = Id<'accounts'>;
type Runner = Id<'hosted_runners'>;

const ofOrganization = (db: Db, organization: OrSql<Organization>) =>
  db.selectFrom('hosted_runners').selectAll().where('organization_id', '=', organization);

/** A page of an organization's runners, or only the runners in a group. */
export function listRunners(
  db: Db,
  organization: Organization,
  { group, page }: { group?: Id<'runner_groups'>; page: Page },
): Promise<Listed<RunnerRow>> {
  const all = ofOrganization(db, organization).orderBy('id');
  return list(db, group === undefined ? all : all.where('runner_group_id', '=', group), page);
}

/** Moves the runners of a group to another one. */
export const moveRunners = (tx: Tx, from: Id<'runner_groups'>, to: Id<'runner_groups'>) =>
  tx.updateTable('hosted_runners').set({ runner_group_id: to }).where('runner_group_id', '=', from).execute();

export const selectRunner = (db: Db, organization: OrSql<Organization>, id: Runner) =>
  ofOrganization(db, organization).where('id', '=', id);

/** Reads the runner again and locks its row; undefined if it was deleted. */
export const findRunnerForUpdate = (tx: Tx, { id }: Pick<RunnerRow, 'id'>): Promise<RunnerRow | undefined> =>
  tx.selectFrom('hosted_runners').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();

/** Names are unique regardless of case. A runner that is being deleted has none. */
export const findRunnerNamed = (db: Db, organization: Organization, name: string): Promise<RunnerRow | undefined> =>
  ofOrganization(db, organization)
    .where(sql`lower(name)`, '=', name.toLowerCase())
    .where('status', '!=', 'Deleting')
    .executeTakeFirst();

export const insertRunner = (tx: Tx, row: Insertable<DB['hosted_runners']>): Promise<RunnerRow> =>
  tx.insertInto('hosted_runners').values(row).returningAll().executeTakeFirstOrThrow();

/** Changes a runner and increases its revision, so that results for an older revision are ignored. */
export const updateRunner = (tx: Tx, id: Runner, change: Updateable<DB['hosted_runners']>): Promise<RunnerRow> =>
  tx
    .updateTable('hosted_runners')
    .set({ ...change, revision: sql<number>`revision + 1` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();

/**
 * The number of an organization's runners with static addresses. Runners that are being deleted count until their machine is
 * removed.
 */
export async function countStaticIps(db: Db, organization: Organization): Promise<number> {
  const { count } = await db
    .selectFrom('hosted_runners')
    .select(sql<number>`count(*)`.as('count'))
    .where('organization_id', '=', organization)
    .where('static_ip', '=', true)
    .executeTakeFirstOrThrow();
  return count;
}

/** A runner by its id only, for jobs. */
export const loadRunner = (db: Db, id: Runner): Promise<RunnerRow | undefined> =>
  db.selectFrom('hosted_runners').selectAll().where('id', '=', id).executeTakeFirst();

/**
 * Stores the result of work on one revision of a runner. If the runner was changed or deleted in the meantime, nothing is
 * written.
 */
export const finishProvisioning = (
  tx: Tx,
  { id, revision }: Pick<RunnerRow, 'id' | 'revision'>,
  change: Updateable<DB['hosted_runners']>,
) =>
  tx
    .updateTable('hosted_runners')
    .set(change)
    .where('id', '=', id)
    .where('revision', '=', revision)
    .where('status', 'in', ['Provisioning', 'Stuck'])
    .execute();

export const removeRunner = (tx: Tx, id: Runner) =>
  tx.deleteFrom('hosted_runners').where('id', '=', id).where('status', '=', 'Deleting').execute();

/** Runners whose provisioning or deletion has been waiting since before this time. */
export const listUnprovisioned = (db: Db, { before, limit }: { before: Date; limit: number }) =>
  db
    .selectFrom('hosted_runners')
    .select(['id', 'status'])
    .where('status', 'in', ['Provisioning', 'Deleting', 'Stuck'])
    .where('updated_at', '<', before)
    .orderBy('updated_at')
    .limit(limit)
    .execute();

/** A runner whose machine can't be made. */
type StuckRunner = Pick<RunnerRow, 'name' | 'problem'> & { readonly organization: string };

/** The runners of all organizations whose last attempt failed, with the reasons, the oldest first. */
export const listStuck = (db: Db): Promise<StuckRunner[]> =>
  db
    .selectFrom('hosted_runners as r')
    .innerJoin('accounts as o', 'o.id', 'r.organization_id')
    .select(['o.login as organization', 'r.name', 'r.problem'])
    .where('r.status', '=', 'Stuck')
    .orderBy('r.id')
    .execute();

/** The first runner that uses an image, or one version of it. */
export function findRunnerUsing(
  db: Db,
  image: Id<'custom_images'>,
  version?: { readonly text: string; readonly isLatest: boolean },
): Promise<RunnerRow | undefined> {
  const runners = db.selectFrom('hosted_runners').selectAll().where('custom_image_id', '=', image).orderBy('id').limit(1);
  if (!version) return runners.executeTakeFirst();
  const { text, isLatest } = version;
  return runners
    .where((where) =>
      isLatest
        ? where.or([where('image_version', '=', text), where('image_version', 'is', null)])
        : where('image_version', '=', text),
    )
    .executeTakeFirst();
}

/** Marks the runners that follow an image's latest version for provisioning. Returns their ids. */
export async function reprovisionFollowers(tx: Tx, image: Id<'custom_images'>, now: Date): Promise<Runner[]> {
  const rows = await tx
    .updateTable('hosted_runners')
    .set({ status: 'Provisioning', problem: null, revision: sql<number>`revision + 1`, updated_at: now })
    .where('custom_image_id', '=', image)
    .where('image_version', 'is', null)
    .where('status', '!=', 'Deleting')
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** The given runners that exist, in any organization. */
export const loadRunners = (db: Db, ids: readonly Runner[]): Promise<RunnerRow[]> =>
  ids.length === 0 ? Promise.resolve([]) : db.selectFrom('hosted_runners').selectAll().where('id', 'in', ids).execute();

/** The given runners that are ready. Their rows are locked in the order of their ids. */
export const lockReady = (tx: Tx, ids: readonly Runner[]): Promise<RunnerRow[]> =>
  tx
    .selectFrom('hosted_runners')
    .selectAll()
    .where(sql<boolean>`id = any (${[...ids]}::bigint[])`)
    .where('status', '=', 'Ready')
    .orderBy('id')
    .forUpdate()
    .execute();

/** Marks runners for provisioning that have been `Ready` since before this time and aren't running. Returns their ids. */
export async function reprovisionLost(
  tx: Tx,
  { running, before, now }: { running: readonly Runner[]; before: Date; now: Date },
): Promise<Runner[]> {
  const { rows } = await sql<{ id: Runner }>`
    update hosted_runners set status = 'Provisioning', problem = null, revision = revision + 1, updated_at = ${now}::timestamptz
    where status = 'Ready' and updated_at < ${before}::timestamptz and id <> all(${[...running]}::bigint[]) returning id`.execute(
    tx,
  );
  return rows.map(({ id }) => id);
}

/** Stores when runners were last active, if that is later than the stored time. */
export async function updateLastActive(tx: Tx, activities: readonly { runner: Runner; at: Date }[]): Promise<void> {
  if (activities.length === 0) return;
  await sql`
    update hosted_runners r set last_active_on = s.at
    from json_to_recordset(${JSON.stringify(activities)}::json) as s(runner bigint, at timestamptz)
    where r.id = s.runner and (r.last_active_on is null or r.last_active_on < s.at)`.execute(tx);
}
