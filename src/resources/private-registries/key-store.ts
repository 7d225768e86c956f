import type { Insertable, Selectable } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';

export type KeyRow = Selectable<DB['registry_keys']>;

export const findActiveKey = (db: Db, organization: Id<'accounts'>): Promise<KeyRow | undefined> =>
  db
    .selectFrom('registry_keys')
    .selectAll()
    .where('organization_id', '=', organization)
    .where('retired_at', 'is', null)
    .executeTakeFirst();

/** Inserts a key, unless another request has done so. */
export const insertKey = (tx: Tx, row: Insertable<DB['registry_keys']>) =>
  tx
    .insertInto('registry_keys')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();

/** Retires the active key and deletes its private half. */
export const revokeKey = (tx: Tx, organization: Id<'accounts'>, now: Date) =>
  tx
    .updateTable('registry_keys')
    .set({ retired_at: now, private_key: null })
    .where('organization_id', '=', organization)
    .where('retired_at', 'is', null)
    .execute();
