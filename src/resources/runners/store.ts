import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Db, OrSql, Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import { gather } from '#lib/collections.ts';
import { asId, type Id } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';

export type RunnerRow = Selectable<DB['runners']>;
export type RunnerTokenRow = Selectable<DB['runner_tokens']>;

/** Whose runner it is: that of an organization, or of a repository. */
export type RunnerOwner =
  | { readonly organization: Id<'accounts'>; readonly repository?: undefined }
  | { readonly organization?: undefined; readonly repository: Id<'repositories'> };

/** Whose runners are looked for, as rows or as SQL. */
type Among =
  | { readonly organization: OrSql<Id<'accounts'>>; readonly repository?: undefined }
  | { readonly organization?: undefined; readonly repository: OrSql<Id<'repositories'>> };

const runnersOf = (db: Db, { organization, repository }: Among) => {
  const all = db.selectFrom('runners').selectAll();
  return organization === undefined
    ? all.where('repository_id', '=', repository)
    : all.where('organization_id', '=', organization);
};

/** A page of the runners of an organization or a repository; with a name, those that have it, in any case. */
export function listRunners(
  db: Db,
  owner: RunnerOwner,
  { name, page }: { name?: string | undefined; page: Page },
): Promise<Listed<RunnerRow>> {
  const all = runnersOf(db, owner).orderBy('id');
  return list(db, name === undefined ? all : all.where(sql`lower(name)`, '=', name.toLowerCase()), page);
}

export const selectRunner = (db: Db, owner: Among, id: Id<'runners'>) => runnersOf(db, owner).where('id', '=', id);

/** The same runner again, its row locked; undefined when it was deleted. */
export const findRunnerForUpdate = (tx: Tx, { id }: Pick<RunnerRow, 'id'>): Promise<RunnerRow | undefined> =>
  tx.selectFrom('runners').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();

/** Those of these runners that have a job. */
export async function listBusy(db: Db, ids: readonly Id<'runners'>[]): Promise<(Id<'runners'> | null)[]> {
  if (ids.length === 0) return [];
  const busy = db.selectFrom('workflow_jobs').select('runner_id').distinct().where('runner_id', 'in', ids);
  return gather(await busy.where('status', '=', 'in_progress').execute(), 'runner_id');
}

/** Whether an organization has a group of runners with this id. */
export const hasGroup = async (db: Db, organization: Id<'accounts'>, group: number): Promise<boolean> =>
  (
    await db
      .selectFrom('runner_groups')
      .select('id')
      .where('organization_id', '=', organization)
      .where('id', '=', asId<'runner_groups'>(group))
      .execute()
  ).length > 0;

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

/** Writes when a runner was heard of. */
export const noteSeen = (db: Db, id: Id<'runners'>, now: Date) =>
  db.updateTable('runners').set({ seen_at: now }).where('id', '=', id).execute();

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

/** The group that runners of an organization are in where they name none. */
export const findDefaultGroup = (db: Db, organization: Id<'accounts'>): Promise<Id<'runner_groups'> | undefined> =>
  db
    .selectFrom('runner_groups')
    .select('id')
    .where('organization_id', '=', organization)
    .where('is_default', '=', true)
    .executeTakeFirst()
    .then((row) => row?.id);

/** Whether a row of `runners r` may take jobs of a row of `repositories p`: its own, or those of its organization. */
export const servesRepository = sql<boolean>`(r.repository_id = p.id or r.organization_id = p.owner_id)`;
