import { type Insertable, type Selectable, sql } from 'kysely';
import type { Account } from '#access/viewer.ts';
import type { Db, Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import { keyed, unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { accountIdOfNoreply } from '#lib/noreply.ts';
import type { Listed, Page } from '#lib/page.ts';

type User = Id<'accounts'>;
export type EmailRow = Selectable<DB['email_addresses']> & { is_primary: boolean };

/** The addresses of a user. The primary address is the first verified one, or else the first one. */
const emailsOf = (db: Db, user: User) =>
  db
    .selectFrom((from) =>
      from
        .selectFrom('email_addresses')
        .selectAll()
        .select(sql<boolean>`row_number() over (order by verified_at, id) = 1`.as('is_primary'))
        .where('account_id', '=', user)
        .as('emails'),
    )
    .selectAll();

export const listEmails = (db: Db, user: User, page: Page): Promise<Listed<EmailRow>> =>
  list(db, emailsOf(db, user).orderBy('id'), page);

/** The address that a user's profile shows, as a list. */
export const listPublicEmails = (db: Db, { id, email }: Account, page: Page): Promise<Listed<EmailRow>> =>
  list(db, emailsOf(db, id).where('email', '=', email).orderBy('id'), page);

/** All addresses of a user. There are few. */
export const loadEmails = (db: Db, user: User): Promise<EmailRow[]> => emailsOf(db, user).orderBy('id').execute();

/** The verified addresses of users. */
export async function loadVerifiedEmails(db: Db, users: Iterable<User>): Promise<Map<User, string[]>> {
  const ids = unique(users);
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('email_addresses')
    .select(['account_id', 'email'])
    .where('account_id', 'in', ids)
    .where('verified_at', 'is not', null)
    .orderBy('id')
    .execute();
  return new Map([...Map.groupBy(rows, ({ account_id }) => account_id)].map(([id, own]) => [id, own.map(({ email }) => email)]));
}

/** Whether an address is verified, for any account. */
export const isEmailVerified = async (db: Db, email: string): Promise<boolean> =>
  (await db
    .selectFrom('email_addresses')
    .select('id')
    .where(sql<boolean>`lower(email) = lower(${email})`)
    .where('verified_at', 'is not', null)
    .executeTakeFirst()) !== undefined;

export const insertEmails = (
  tx: Tx,
  rows: readonly Insertable<DB['email_addresses']>[],
): Promise<{ id: Id<'email_addresses'> }[]> => tx.insertInto('email_addresses').values(rows).returning('id').execute();

/** Inserts a verified address; undefined if it is verified for another account. */
export const insertVerifiedEmail = (
  tx: Tx,
  row: Insertable<DB['email_addresses']> & { verified_at: Date },
): Promise<{ id: Id<'email_addresses'> } | undefined> =>
  tx
    .insertInto('email_addresses')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();

export const updateVerified = (
  tx: Tx,
  id: Id<'email_addresses'>,
  now: Date,
): Promise<{ id: Id<'email_addresses'> } | undefined> =>
  tx.updateTable('email_addresses').set({ verified_at: now }).where('id', '=', id).returning('id').executeTakeFirst();

export const removeEmails = (tx: Tx, ids: readonly Id<'email_addresses'>[]) =>
  tx.deleteFrom('email_addresses').where('id', 'in', ids).execute();

/**
 * Accounts by the e-mail addresses in commits: an account's verified addresses, and its noreply address on this host. The map's
 * keys are in lower case.
 */
export async function loadAccountsByEmail(db: Db, emails: Iterable<string>, host: string): Promise<Map<string, Account>> {
  const wanted = unique([...emails].map((email) => email.toLowerCase())).filter((email) => !email.includes('\0'));
  if (wanted.length === 0) return new Map();
  const noreply = `@users.noreply.${host.toLowerCase()}`;
  const [own, others] = [wanted.filter((email) => email.endsWith(noreply)), wanted.filter((email) => !email.endsWith(noreply))];
  const ids = own.flatMap((email) => {
    const id = accountIdOfNoreply(email);
    return id === undefined ? [] : [{ id, email }];
  });
  const { rows } = await sql<Account & { address: string }>`
    select accounts.*, found.address from (
      select account_id, lower(email) as address from email_addresses
        where verified_at is not null and lower(email) = any (${others}::text[])
      union all
      select * from unnest(${ids.map(({ id }) => id)}::bigint[], ${ids.map(({ email }) => email)}::text[])
    ) found (account_id, address)
    join accounts on accounts.id = found.account_id
    where accounts.kind <> 'organization'`.execute(db);
  return new Map([...keyed(rows, ({ address }) => address)].map(([email, { address: _, ...account }]) => [email, account]));
}

/** The migration that marked users' addresses as unverified until an administrator verifies them. */
const verificationMigration = 105;

type EarlierEmail = { id: Id<'email_addresses'>; account_id: User; email: string; is_shared: boolean };

/** Unverified addresses from before that migration, by their ids. `is_shared`: another account has the same address. */
export async function listEarlierEmails(
  db: Db,
  { after, domain, limit }: { after: Id<'email_addresses'>; domain?: string | undefined; limit: number },
): Promise<EarlierEmail[]> {
  const { rows } = await sql<EarlierEmail>`
    select e.id, e.account_id, e.email, exists (
      select from email_addresses other where lower(other.email) = lower(e.email) and other.id <> e.id) as is_shared
    from email_addresses e
    where e.id > ${after} and e.verified_at is null
      and e.created_at < (select applied_at from schema_migrations where version = ${verificationMigration})
      and (${domain ?? null}::text is null or lower(split_part(e.email, '@', 2)) = lower(${domain ?? null}))
    order by e.id limit ${limit}`.execute(db);
  return rows;
}
