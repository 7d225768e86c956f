import type { Insertable, Selectable } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';

type User = Id<'accounts'>;
export type GpgKeyRow = Selectable<DB['gpg_keys']>;
export type SshSigningKeyRow = Selectable<DB['ssh_signing_keys']>;

/** The OpenPGP keys of a user, without their subkeys. */
const primaryKeysOf = (db: Db, user: User) =>
  db.selectFrom('gpg_keys').selectAll().where('user_id', '=', user).where('primary_key_id', 'is', null);

export const listGpgKeys = (db: Db, user: User, page: Page): Promise<Listed<GpgKeyRow>> =>
  list(db, primaryKeysOf(db, user).orderBy('id'), page);

export const findGpgKey = (db: Db, user: User, id: Id<'gpg_keys'>): Promise<GpgKeyRow | undefined> =>
  primaryKeysOf(db, user).where('id', '=', id).executeTakeFirst();

/** Reads the key again and locks its row; undefined if it was deleted. */
export const findGpgKeyForUpdate = (tx: Tx, { id }: Pick<GpgKeyRow, 'id'>): Promise<GpgKeyRow | undefined> =>
  tx.selectFrom('gpg_keys').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();

/** The subkeys of keys, in order. */
export const loadSubkeys = async (db: Db, keys: readonly Id<'gpg_keys'>[]): Promise<GpgKeyRow[]> =>
  keys.length === 0
    ? []
    : db.selectFrom('gpg_keys').selectAll().where('primary_key_id', 'in', keys).orderBy('primary_key_id').orderBy('id').execute();

export async function countGpgKeys(tx: Tx, user: User): Promise<number> {
  const { count } = await tx
    .selectFrom('gpg_keys')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('user_id', '=', user)
    .where('primary_key_id', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
}

/** Inserts a key; undefined if the user already has it. */
export const insertGpgKey = (tx: Tx, row: Insertable<DB['gpg_keys']>): Promise<GpgKeyRow | undefined> =>
  tx
    .insertInto('gpg_keys')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();

export const insertSubkeys = (tx: Tx, rows: readonly Insertable<DB['gpg_keys']>[]) =>
  tx.insertInto('gpg_keys').values(rows).execute();

/** Removes a key with its subkeys. */
export const removeGpgKey = (tx: Tx, id: Id<'gpg_keys'>) => tx.deleteFrom('gpg_keys').where('id', '=', id).execute();

export const listSshSigningKeys = (db: Db, user: User, page: Page): Promise<Listed<SshSigningKeyRow>> =>
  list(db, db.selectFrom('ssh_signing_keys').selectAll().where('user_id', '=', user).orderBy('id'), page);

export const findSshSigningKey = (db: Db, user: User, id: Id<'ssh_signing_keys'>): Promise<SshSigningKeyRow | undefined> =>
  db.selectFrom('ssh_signing_keys').selectAll().where('user_id', '=', user).where('id', '=', id).executeTakeFirst();

/** Reads the key again and locks its row; undefined if it was deleted. */
export const findSshSigningKeyForUpdate = (tx: Tx, { id }: Pick<SshSigningKeyRow, 'id'>): Promise<SshSigningKeyRow | undefined> =>
  tx.selectFrom('ssh_signing_keys').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();

export async function countSshSigningKeys(tx: Tx, user: User): Promise<number> {
  const { count } = await tx
    .selectFrom('ssh_signing_keys')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('user_id', '=', user)
    .executeTakeFirstOrThrow();
  return count;
}

/** Inserts a key; undefined if the user already has it. */
export const insertSshSigningKey = (tx: Tx, row: Insertable<DB['ssh_signing_keys']>): Promise<SshSigningKeyRow | undefined> =>
  tx
    .insertInto('ssh_signing_keys')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();

export const removeSshSigningKey = (tx: Tx, id: Id<'ssh_signing_keys'>) =>
  tx.deleteFrom('ssh_signing_keys').where('id', '=', id).execute();
