import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Account } from '#access/viewer.ts';
import type { Db, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';
import type { AppRow } from '#resources/repositories/apps/index.ts';

export type DeviceRow = Selectable<DB['device_codes']>;
type CodeRow = Selectable<DB['authorization_codes']>;

export const findAppByClientId = (db: Db, clientId: string): Promise<AppRow | undefined> =>
  db.selectFrom('apps').selectAll().where('client_id', '=', clientId).executeTakeFirst();

export const insertSession = (tx: Tx, row: Insertable<DB['sessions']>) => tx.insertInto('sessions').values(row).execute();

export const removeSession = (tx: Tx, hash: Buffer) => tx.deleteFrom('sessions').where('hash', '=', hash).execute();

export type SessionRow = Selectable<DB['sessions']>;

/** The sessions of an account that haven't expired, the one used last first. Their number is limited. */
export const listSessions = (db: Db, account: Account['id'], now: Date): Promise<SessionRow[]> =>
  db
    .selectFrom('sessions')
    .selectAll()
    .where('account_id', '=', account)
    .where('expires_at', '>', now)
    .orderBy((eb) => eb.fn.coalesce('last_used_at', 'created_at'), 'desc')
    .orderBy('id', 'desc')
    .execute();

export const findSessionOf = (db: Db, account: Account['id'], id: Id<'sessions'>): Promise<SessionRow | undefined> =>
  db.selectFrom('sessions').selectAll().where('account_id', '=', account).where('id', '=', id).executeTakeFirst();

export const removeSessionById = (tx: Tx, id: Id<'sessions'>) => tx.deleteFrom('sessions').where('id', '=', id).execute();

/** Ends all sessions of an account but one. */
export const removeOtherSessions = (tx: Tx, account: Account['id'], kept: Id<'sessions'>) =>
  tx.deleteFrom('sessions').where('account_id', '=', account).where('id', '<>', kept).execute();

/** Stores when a session was last used. */
export const noteSessionUse = (db: Db, id: Id<'sessions'>, now: Date) =>
  db.updateTable('sessions').set({ last_used_at: now }).where('id', '=', id).execute();

/** Stores that the password was entered again in a session. */
export const renewSession = (tx: Tx, id: Id<'sessions'>, now: Date) =>
  tx.updateTable('sessions').set({ signed_in_at: now }).where('id', '=', id).execute();

/** Ends all sessions of an account. */
export const removeSessions = (tx: Tx, account: Account['id']) =>
  tx.deleteFrom('sessions').where('account_id', '=', account).execute();

/** Removes an account's oldest sessions beyond a maximum number. */
export const removeSessionsBeyond = (tx: Tx, account: Account['id'], max: number) =>
  sql`delete from sessions where hash in (
    select hash from sessions where account_id = ${account} order by created_at desc, expires_at desc offset ${max})`.execute(tx);

export const insertCode = (tx: Tx, row: Insertable<DB['authorization_codes']>) =>
  tx.insertInto('authorization_codes').values(row).execute();

/** Removes a code and returns it, so that it can be used only once. */
export const consumeCode = (tx: Tx, hash: Buffer): Promise<CodeRow | undefined> =>
  tx.deleteFrom('authorization_codes').where('hash', '=', hash).returningAll().executeTakeFirst();

export const insertDevice = (tx: Tx, row: Insertable<DB['device_codes']>) => tx.insertInto('device_codes').values(row).execute();

export const findDeviceForUpdate = (tx: Tx, hash: Buffer): Promise<DeviceRow | undefined> =>
  tx.selectFrom('device_codes').selectAll().where('hash', '=', hash).forUpdate().executeTakeFirst();

export const findDeviceByUserCode = (db: Db, userCode: string, now: Date): Promise<DeviceRow | undefined> =>
  db
    .selectFrom('device_codes')
    .selectAll()
    .where('user_code', '=', userCode)
    .where('state', '=', 'pending')
    .where('expires_at', '>', now)
    .executeTakeFirst();

export const updateDevice = (tx: Tx, hash: Buffer, change: Pick<Updateable<DB['device_codes']>, 'polled_at' | 'interval_s'>) =>
  tx.updateTable('device_codes').set(change).where('hash', '=', hash).execute();

/** Records the answer to a device. Returns whether it was the first one. */
export const answerPendingDevice = async (
  tx: Tx,
  hash: Buffer,
  answer: Pick<Updateable<DB['device_codes']>, 'state' | 'account_id' | 'permissions'>,
): Promise<boolean> => {
  const pending = tx.updateTable('device_codes').set(answer).where('hash', '=', hash).where('state', '=', 'pending');
  return (await pending.executeTakeFirst()).numUpdatedRows > 0n;
};

export const removeDevice = (tx: Tx, hash: Buffer) => tx.deleteFrom('device_codes').where('hash', '=', hash).execute();

export const insertRefreshToken = (tx: Tx, row: Insertable<DB['refresh_tokens']>) =>
  tx.insertInto('refresh_tokens').values(row).execute();

/** Removes a refresh token and returns it, so that it can be used only once. */
export const consumeRefreshToken = (tx: Tx, hash: Buffer) =>
  tx.deleteFrom('refresh_tokens').where('hash', '=', hash).returningAll().executeTakeFirst();

export type ManifestRequestRow = Selectable<DB['app_manifest_requests']>;

export const insertManifestRequest = (tx: Tx, row: Insertable<DB['app_manifest_requests']>) =>
  tx.insertInto('app_manifest_requests').values(row).execute();

/** A manifest that waits for its owner's confirmation and hasn't expired. */
export const findManifestRequest = (db: Db, hash: Buffer, now: Date): Promise<ManifestRequestRow | undefined> =>
  db.selectFrom('app_manifest_requests').selectAll().where('hash', '=', hash).where('expires_at', '>', now).executeTakeFirst();

/** Removes a waiting manifest. Returns whether it existed, so that it is answered only once. */
export const removeManifestRequest = async (tx: Tx, hash: Buffer): Promise<boolean> =>
  (await tx.deleteFrom('app_manifest_requests').where('hash', '=', hash).executeTakeFirst()).numDeletedRows > 0n;

/** Whether any person has an account. */
export const hasUsers = async (db: Db): Promise<boolean> =>
  (await db.selectFrom('accounts').select('id').where('kind', '=', 'user').limit(1).executeTakeFirst()) !== undefined;

/** Stores the token of the first start in the place of the former one. */
export const putFirstStart = (tx: Tx, row: Pick<Insertable<DB['first_start']>, 'hash' | 'expires_at'>) =>
  tx
    .insertInto('first_start')
    .values(row)
    .onConflict((conflict) => conflict.column('only_row').doUpdateSet(row))
    .execute();

export const findFirstStart = async (db: Db, hash: Buffer, now: Date): Promise<boolean> =>
  (await db
    .selectFrom('first_start')
    .select('only_row')
    .where('hash', '=', hash)
    .where('expires_at', '>', now)
    .executeTakeFirst()) !== undefined;

/** Removes the token of the first start, so that it is used once. Returns whether it was the right one, and hadn't expired. */
export const consumeFirstStart = async (tx: Tx, hash: Buffer, now: Date): Promise<boolean> =>
  (await tx.deleteFrom('first_start').where('hash', '=', hash).where('expires_at', '>', now).executeTakeFirst()).numDeletedRows >
  0n;

export const removeFirstStart = (tx: Tx) => tx.deleteFrom('first_start').execute();
