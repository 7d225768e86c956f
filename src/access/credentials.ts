import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import { constantSql } from '#database/constant-sql.ts';
import type { Id } from '#lib/id.ts';
import { revived, type Snapshot } from '#lib/snapshot.ts';
import { addDays } from '#lib/time.ts';
import { reviveAccount } from './lookup.ts';
import type { PermissionSet } from './permissions.ts';
import { rememberRows, versionOf } from './remembered-rows.ts';
import type { RowQuery } from './row-query.ts';
import type { TokenKind } from './tokens.ts';
import type { Account } from './viewer.ts';

/** The organization's rules for fine-grained tokens that were made for it. */
type TokenPolicy = { fine_grained_tokens_allowed: boolean; max_token_days: number | null };

/** Whether a fine-grained token expires as early as its organization requires. */
export const endsWithin = (
  { max_token_days: days }: Pick<TokenPolicy, 'max_token_days'>,
  created: Date,
  expires: Date | null,
): boolean => days === null || (expires !== null && expires <= addDays(created, days));

/**
 * A token with its account, the permissions of its app, the app's installation, and the policy of the organization that it was
 * made for.
 */
export type TokenRow = {
  id: Id<'tokens'>;
  kind: TokenKind;
  app_id: Id<'apps'> | null;
  scopes: string[];
  owner_id: Id<'accounts'> | null;
  repository_selection: 'all' | 'selected' | 'public' | null;
  permissions: PermissionSet;
  /** For a fine-grained token: whether the account that it was made for has approved it. */
  access: 'granted' | 'pending' | 'denied' | 'revoked' | null;
  created_at: Date;
  expires_at: Date | null;
  last_used_at: Date | null;
  account: Account;
  app_permissions: PermissionSet | null;
  installation: {
    id: Id<'installations'>;
    app_id: Id<'apps'>;
    account_id: Id<'accounts'>;
    repository_selection: 'all' | 'selected';
    permissions: PermissionSet;
    suspended_at: string | null;
  } | null;
  policy: TokenPolicy | null;
};

/** A token's rows as JSON, which has times as text. */
type TokenJson = Snapshot<Omit<TokenRow, 'account' | 'app_permissions'>> & {
  account: Snapshot<Account>;
  app_permissions: PermissionSet | null;
};

/** The number of tokens that a process remembers. Their rows take some kilobytes each. */
const maxRemembered = 2_000;

const reviveToken = (json: TokenJson): TokenRow =>
  Object.freeze({
    ...revived<Omit<TokenRow, 'account'>>(json, ['created_at', 'expires_at', 'last_used_at']),
    account: reviveAccount(json.account),
  });

const tokens = rememberRows(maxRemembered, 'token', reviveToken);

const tokenVersion = versionOf('t', 'a', 'i', 'p', 'o');
const tokenJson =
  constantSql(sql`to_jsonb(t) - 'hash' || jsonb_build_object('account', to_jsonb(a), 'app_permissions', p.permissions,
  'installation', case when i.id is null then null else to_jsonb(i) end,
  'policy', case when o.id is null then null else to_jsonb(o) - array['id', 'xmin'] end)`);
const tokenTables = constantSql(sql`tokens t join accounts a on a.id = t.account_id
  left join installations i on i.id = t.installation_id
  left join apps p on p.id = t.app_id
  left join lateral (select s.account_id as id, s.xmin, s.fine_grained_tokens_allowed, s.max_token_days
    from organizations s where s.account_id = t.owner_id) o on true`);

/**
 * Selects a token by its hash, with its account, the installation of its app, and the policy of the organization that it was made
 * for. `known` is the token as it was last read.
 */
export function tokenQuery(db: Db, hash: Buffer): RowQuery<TokenRow> & { readonly known: TokenRow | undefined } {
  const { known, columns, read } = tokens(db, hash.toString('base64'));
  const select = sql`select ${columns(tokenVersion, tokenJson)} from ${tokenTables} where t.hash = ${hash}`;
  return { known, select, read };
}

/** Finds a token by its id, for addresses that were given to its bearer earlier. */
export async function findTokenById(db: Db, id: Id<'tokens'>): Promise<TokenRow | undefined> {
  const { rows } = await sql<{ token: TokenJson }>`select ${tokenJson} as token from ${tokenTables} where t.id = ${id}`.execute(
    db,
  );
  return rows[0] && reviveToken(rows[0].token);
}

/** Finds an app by its client id, for endpoints where apps authenticate with their client secret. */
export const findClient = (db: Db, clientId: string) =>
  db.selectFrom('apps').select(['id', 'owner_id', 'client_secret_hash']).where('client_id', '=', clientId).executeTakeFirst();

/** Finds the app with this id or client id (the issuer of a JSON web token), with its public keys. */
export async function findJwtApp(
  db: Db,
  issuer: string,
): Promise<{ id: Id<'apps'>; owner: Id<'accounts'>; keys: string[] } | undefined> {
  const rows = await db
    .selectFrom('apps')
    .innerJoin('app_keys', 'app_keys.app_id', 'apps.id')
    .select(['apps.id', 'apps.owner_id', 'app_keys.public_key'])
    .where('apps.kind', '=', 'app')
    .where((eb) => eb.or([eb('apps.client_id', '=', issuer), eb(sql`apps.id::text`, '=', issuer)]))
    .execute();
  const first = rows[0];
  return first && { id: first.id, owner: first.owner_id, keys: rows.map((row) => row.public_key) };
}
