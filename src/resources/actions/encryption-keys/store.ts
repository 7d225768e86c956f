import type { Insertable, Selectable } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';

export type KeyRow = Selectable<DB['encryption_keys']>;

/** The owner of a key, by the column that refers to it. */
export type Holder =
  | { readonly column: 'organization_id'; readonly id: Id<'accounts'> }
  | { readonly column: 'repository_id'; readonly id: Id<'repositories'> }
  | { readonly column: 'environment_id'; readonly id: Id<'environments'> };

/** The purpose of a key, and its owner. */
export type KeyUse = Holder & { readonly purpose: KeyRow['purpose'] };

export const findActiveKey = (db: Db, { purpose, column, id }: KeyUse): Promise<KeyRow | undefined> =>
  db
    .selectFrom('encryption_keys')
    .selectAll()
    .where('purpose', '=', purpose)
    .where(column, '=', id)
    .where('retired_at', 'is', null)
    .executeTakeFirst();

/** Inserts a key, unless another request has already done so. */
export const insertKey = (tx: Tx, { purpose, column, id }: KeyUse, key: NewKey) =>
  tx
    .insertInto('encryption_keys')
    .values({ purpose, [column]: id, ...key })
    .onConflict((conflict) => conflict.doNothing())
    .execute();

type NewKey = Pick<Insertable<DB['encryption_keys']>, 'public_key' | 'private_key' | 'created_at'>;

/** Retires the active key and deletes its private key. */
export const revokeKey = (tx: Tx, { purpose, column, id }: KeyUse, now: Date) =>
  tx
    .updateTable('encryption_keys')
    .set({ retired_at: now, private_key: null })
    .where('purpose', '=', purpose)
    .where(column, '=', id)
    .where('retired_at', 'is', null)
    .execute();
