import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Account } from '#access/viewer.ts';
import type { Db, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import type { AppRow } from '#resources/repositories/apps/index.ts';

export type DeviceRow = Selectable<DB['device_codes']>;
type CodeRow = Selectable<DB['authorization_codes']>;

export const findAppByClientId = (db: Db, clientId: string): Promise<AppRow | undefined> =>
  db.selectFrom('apps').selectAll().where('client_id', '=', clientId).executeTakeFirst();

export const insertSession = (tx: Tx, row: Insertable<DB['sessions']>) => tx.insertInto('sessions').values(row).execute();

export const removeSession = (tx: Tx, hash: Buffer) => tx.deleteFrom('sessions').where('hash', '=', hash).execute();

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
