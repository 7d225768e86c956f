import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import { removeSome } from '#database/remove-some.ts';
import type { DB } from '#database/tables.ts';
import { gather } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';

export type TokenRow = Selectable<DB['tokens']>;

export const insertToken = (tx: Tx, row: Insertable<DB['tokens']>): Promise<TokenRow> =>
  tx.insertInto('tokens').values(row).returningAll().executeTakeFirstOrThrow();

export async function insertTokenRepositories(
  tx: Tx,
  token: Id<'tokens'>,
  repositories: readonly Id<'repositories'>[],
): Promise<void> {
  if (repositories.length === 0) return;
  await tx
    .insertInto('token_repositories')
    .values(repositories.map((repository_id) => ({ token_id: token, repository_id })))
    .execute();
}

/** The given repositories that belong to an owner. */
export async function ownedAmong(
  db: Db,
  owner: Id<'accounts'>,
  repositories: readonly Id<'repositories'>[],
): Promise<Id<'repositories'>[]> {
  if (repositories.length === 0) return [];
  const rows = await db
    .selectFrom('repositories')
    .select('id')
    .where('owner_id', '=', owner)
    .where('id', 'in', [...repositories])
    .execute();
  return rows.map(({ id }) => id);
}

export const findTokenForUpdate = (tx: Tx, hash: Buffer): Promise<TokenRow | undefined> =>
  tx.selectFrom('tokens').selectAll().where('hash', '=', hash).forUpdate().executeTakeFirst();

/** The repositories that a token is limited to. */
export const loadTokenRepositories = async (db: Db, token: Id<'tokens'>): Promise<Id<'repositories'>[]> =>
  gather(
    await db.selectFrom('token_repositories').select('repository_id').where('token_id', '=', token).execute(),
    'repository_id',
  );

/** Changes the permissions of a token, and the repositories that it is limited to. */
export async function updateTokenAccess(
  tx: Tx,
  token: Id<'tokens'>,
  { repositories, ...change }: Updateable<DB['tokens']> & { repositories: readonly Id<'repositories'>[] },
): Promise<TokenRow> {
  await tx.deleteFrom('token_repositories').where('token_id', '=', token).execute();
  await insertTokenRepositories(tx, token, repositories);
  return tx.updateTable('tokens').set(change).where('id', '=', token).returningAll().executeTakeFirstOrThrow();
}

/** Repositories by their ids, with only the columns of their names. */
export async function loadNames(db: Db, ids: readonly Id<'repositories'>[]) {
  if (ids.length === 0) return [];
  return db
    .selectFrom('repositories')
    .select(['id', 'name', 'visibility'])
    .where('id', 'in', [...ids])
    .orderBy('id')
    .execute();
}

/** Removes the token with this hash, or the token whose refresh token has this hash. */
export async function removeTokenByHash(tx: Tx, hash: Buffer): Promise<boolean> {
  const refreshed = tx.selectFrom('refresh_tokens').select('token_id').where('hash', '=', hash);
  const removed = await tx
    .deleteFrom('tokens')
    .where((eb) => eb.or([eb('hash', '=', hash), eb('id', '=', refreshed)]))
    .returning('id')
    .execute();
  return removed.length > 0;
}

/** Removes a token. Returns it; undefined if it no longer existed. */
export const removeToken = (tx: Tx, id: Id<'tokens'>): Promise<TokenRow | undefined> =>
  tx.deleteFrom('tokens').where('id', '=', id).returningAll().executeTakeFirst();

/** Removes the oldest tokens with the same user, app and scopes as this one, beyond a maximum number. */
export const removeTokensBeyond = (tx: Tx, { kind, account_id, app_id, scopes }: TokenRow, max: number) =>
  sql`delete from tokens where id in (
    select id from tokens where account_id = ${account_id} and app_id = ${app_id} and kind = ${kind} and scopes = ${scopes}
    order by id desc offset ${max})`.execute(tx);

/** The oldest site administrator. */
export const findSiteAdmin = (db: Db) =>
  db
    .selectFrom('accounts')
    .selectAll()
    .where('site_admin', '=', sql<boolean>`true`)
    .where('suspended_at', 'is', null)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();

/** Removes a user's tokens with this name. */
export const removeTokensNamed = (tx: Tx, user: Id<'accounts'>, name: string) =>
  tx.deleteFrom('tokens').where('account_id', '=', user).where('name', '=', name).execute();

/** Removes a user's tokens with this name, except the one with this hash. */
export const removeOthersNamed = (tx: Tx, user: Id<'accounts'>, name: string, hash: Buffer) =>
  tx.deleteFrom('tokens').where('account_id', '=', user).where('name', '=', name).where('hash', '<>', hash).execute();

export const tokenExists = async (db: Db, hash: Buffer): Promise<boolean> =>
  (await db.selectFrom('tokens').select('id').where('hash', '=', hash).executeTakeFirst()) !== undefined;

/** Records that a token was used. Once an hour is enough, so that reading requests rarely write. */
export const noteTokenUse = (db: Db, id: Id<'tokens'>, now: Date) =>
  db
    .updateTable('tokens')
    .set({ last_used_at: now })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', new Date(now.getTime() - 3_600_000))]))
    .execute();

/** Removes a repository from the lists of all tokens, and of tokens that wait for approval. */
export async function removeRepositoryFromTokens(tx: Tx, id: Id<'repositories'>): Promise<void> {
  await tx.deleteFrom('token_repositories').where('repository_id', '=', id).execute();
  await tx.deleteFrom('token_request_repositories').where('repository_id', '=', id).execute();
}

/**
 * Removes some of the tokens that expired before a given time. A token with a refresh token stays, since the refresh token would
 * be removed with it. Returns whether there may be more.
 */
export const removeExpiredTokens = (tx: Tx, before: Date): Promise<boolean> =>
  removeSome(
    tx,
    'tokens',
    sql`expires_at < ${before} and not exists (select from refresh_tokens r where r.token_id = tokens.id)`,
  );
