import type { Insertable, Selectable } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';

export type KeyRow = Selectable<DB['identity_keys']>;

export const findActiveKey = (db: Db): Promise<KeyRow | undefined> =>
  db.selectFrom('identity_keys').selectAll().where('retired_at', 'is', null).executeTakeFirst();

/** The public keys of the active key and of keys that were replaced after a time. */
export const listPublicKeys = (db: Db, since: Date): Promise<Pick<KeyRow, 'kid' | 'public_key'>[]> =>
  db
    .selectFrom('identity_keys')
    .select(['kid', 'public_key'])
    .where((where) => where.or([where('retired_at', 'is', null), where('retired_at', '>', since)]))
    .orderBy('id', 'desc')
    .execute();

/** Inserts the active key, unless another process has already done so. */
export const insertKey = (tx: Tx, row: Insertable<DB['identity_keys']>) =>
  tx
    .insertInto('identity_keys')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();

/** Retires the active key and deletes its private key. */
export const retireKey = (tx: Tx, now: Date) =>
  tx.updateTable('identity_keys').set({ retired_at: now, private_key: null }).where('retired_at', 'is', null).execute();

/** Removes the keys that were replaced before a time. */
export const removeRetiredKeys = (tx: Tx, before: Date) =>
  tx.deleteFrom('identity_keys').where('retired_at', '<', before).execute();
