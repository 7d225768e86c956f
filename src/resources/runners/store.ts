import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';

export type RunnerRow = Selectable<DB['runners']>;
export type RunnerTokenRow = Selectable<DB['runner_tokens']>;

/** Whose runner it is: that of an organization, or of a repository. */
export type RunnerOwner =
  | { readonly organization: Id<'accounts'>; readonly repository?: undefined }
  | { readonly organization?: undefined; readonly repository: Id<'repositories'> };

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
