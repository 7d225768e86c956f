import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Account } from '#access/viewer.ts';
import type { Db, Tx } from '#database/connect.ts';
import { list, listSince } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import { keyed, unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import type { Listed, Page, Uncounted } from '#lib/page.ts';
import { changesWords, indexAccounts } from '#search/index.ts';

export type AccountCounts = { public_repos: number; private_repos: number; disk_kb: number; collaborators: number };

/** Counts the public and private repositories of an account. */
export const selectCounts = (db: Db, owner: Id<'accounts'> | null) =>
  db
    .selectFrom('repositories')
    .where('owner_id', '=', owner)
    .select([
      sql<number>`count(*) filter (where visibility = 'public')`.as('public_repos'),
      sql<number>`count(*) filter (where visibility <> 'public')`.as('private_repos'),
      sql<number>`coalesce(sum(size_kb), 0)::bigint`.as('disk_kb'),
      sql<number>`(select count(distinct c.user_id) from collaborators c join repositories p on p.id = c.repository_id
        where p.owner_id = ${owner} and p.visibility = 'private')`.as('collaborators'),
    ]);

export const countRepositories = (db: Db, owner: Id<'accounts'>): Promise<AccountCounts> =>
  selectCounts(db, owner).executeTakeFirstOrThrow();

/** Accounts by their ids, for a whole page. `known` is an already loaded account, such as the viewer's. */
export async function loadAccounts(
  db: Db,
  ids: Iterable<Id<'accounts'> | null | undefined>,
  known?: Account,
): Promise<Map<Id<'accounts'>, Account>> {
  const wanted = unique(ids).filter((id) => id !== known?.id);
  const loaded = wanted.length === 0 ? [] : await db.selectFrom('accounts').selectAll().where('id', 'in', wanted).execute();
  return keyed(known ? [...loaded, known] : loaded, (row) => row.id);
}

/** An account by its id; undefined if it doesn't exist, or no id is given. */
export async function findAccountById(db: Db, id: Id<'accounts'> | undefined): Promise<Account | undefined> {
  return id === undefined ? undefined : (await loadAccounts(db, [id])).get(id);
}

/** Reads an account again and locks its row. */
export const getAccountForUpdate = (tx: Tx, id: Id<'accounts'>): Promise<Account> =>
  tx.selectFrom('accounts').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirstOrThrow();

/** Users and organizations, oldest first, without bots. */
export const listAccounts = (db: Db, page: Page): Promise<Uncounted<Account>> =>
  listSince(db.selectFrom('accounts').selectAll().where('kind', 'not in', ['bot', 'deleted']), 'id', page);

/** Users by their logins, regardless of case. */
export const findUsersByLogin = (db: Db, logins: readonly string[]): Promise<Account[]> =>
  db
    .selectFrom('accounts')
    .selectAll()
    .where(sql<boolean>`lower(login) = any (${logins.map((login) => login.toLowerCase())})`)
    .where('kind', '=', 'user')
    .execute();

/** Accounts of any kind by their logins, regardless of case. */
export const findAccountsByLogin = (db: Db, logins: readonly string[]): Promise<Account[]> =>
  db
    .selectFrom('accounts')
    .selectAll()
    .where(sql<boolean>`lower(login) = any (${logins.map((login) => login.toLowerCase())})`)
    .where('kind', '<>', 'deleted')
    .execute();

/** Inserts an account and its search words. */
export async function insertAccount(tx: Tx, row: Insertable<DB['accounts']>): Promise<Account> {
  const account = await tx.insertInto('accounts').values(row).returningAll().executeTakeFirstOrThrow();
  await indexAccounts(tx, [account]);
  return account;
}

/** Updates an account, and its search words if they changed. */
export async function updateAccount(tx: Tx, id: Id<'accounts'>, change: Updateable<DB['accounts']>): Promise<Account> {
  const account = await tx.updateTable('accounts').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
  if (changesWords(change)) await indexAccounts(tx, [account]);
  return account;
}

/** Removes an account and everything that it owns. */
export const removeAccount = (tx: Tx, id: Id<'accounts'>) => tx.deleteFrom('accounts').where('id', '=', id).execute();

export const isLoginTaken = async (db: Db, login: string): Promise<boolean> =>
  (await db.selectFrom('accounts').select('id').where(sql<boolean>`lower(login) = lower(${login})`).executeTakeFirst()) !==
  undefined;

export type KeyRow = Selectable<DB['public_keys']>;

export const listKeys = (db: Db, user: Id<'accounts'>, page: Page): Promise<Listed<KeyRow>> =>
  list(db, db.selectFrom('public_keys').selectAll().where('user_id', '=', user).orderBy('id'), page);

export const findKey = (db: Db, user: Id<'accounts'>, id: Id<'public_keys'>): Promise<KeyRow | undefined> =>
  db.selectFrom('public_keys').selectAll().where('user_id', '=', user).where('id', '=', id).executeTakeFirst();

/** Reads the key again and locks its row; undefined if it was deleted. */
export const findKeyForUpdate = (tx: Tx, { id }: Pick<KeyRow, 'id'>): Promise<KeyRow | undefined> =>
  tx.selectFrom('public_keys').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();

/** Inserts a key; undefined if an account or a repository already has it. */
export const insertKey = (tx: Tx, row: Insertable<DB['public_keys']>): Promise<KeyRow | undefined> =>
  tx
    .insertInto('public_keys')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();

/** Stores when a key was last used, once a minute. */
export const noteKeyUse = (db: Db, id: Id<'public_keys'>, now: Date) =>
  db
    .updateTable('public_keys')
    .set({ last_used_at: now })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', new Date(now.getTime() - keyUseMs))]))
    .execute();

/** The minimum time between two recorded uses of a key. */
export const keyUseMs = 60_000;

export const removeKey = (tx: Tx, id: Id<'public_keys'>) => tx.deleteFrom('public_keys').where('id', '=', id).execute();

/** A suspended user, with who suspended them and the reason that was given. */
type SuspendedUser = {
  readonly login: string;
  readonly since: Date;
  readonly by: string | null;
  readonly reason: string | null;
};

/** All suspended users, by login. Who did it and why is in the last event about it. */
export async function listSuspended(db: Db): Promise<SuspendedUser[]> {
  const { rows } = await sql<SuspendedUser>`
    select a.login, a.suspended_at as since, b.login as by, e.data->>'reason' as reason
    from accounts a
      left join lateral (select actor_id, data from events
        where owner_id = a.id and kind = 'user.suspended' order by id desc limit 1) e on true
      left join accounts b on b.id = e.actor_id
    where a.suspended_at is not null order by lower(a.login)`.execute(db);
  return rows;
}
