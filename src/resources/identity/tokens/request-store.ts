import { type RawBuilder, type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import type { Permission, PermissionSet } from '#access/permissions.ts';
import { permissionIn } from '#access/sql.ts';
import { type Db, type OrSql, sendUnawaited, type Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';

/** Requests of fine-grained tokens to an organization, and their approvals. */

type Organization = Id<'accounts'>;
type Request = Id<'token_requests'>;

/** The columns of a request's token that are shown with it. */
type OfToken = {
  user_id: Id<'accounts'>;
  token_name: string;
  token_expires_at: Date | null;
  token_last_used_at: Date | null;
};

export type TokenRequestRow = Selectable<DB['token_requests']> & OfToken;
/** A token that an organization has approved. */
export type TokenGrantRow = OfToken & {
  id: Id<'tokens'>;
  permissions: unknown;
  repository_selection: 'all' | 'selected' | 'public' | null;
  granted_at: Date | null;
};

/** An organization's requirements for fine-grained tokens. */
export type TokenDemands = Pick<
  Selectable<DB['organizations']>,
  'fine_grained_tokens_allowed' | 'token_approval_required' | 'max_token_days'
>;

/** An organization's requirements for fine-grained tokens; undefined for a user. */
export const findTokenDemands = (db: Db, organization: Organization): Promise<TokenDemands | undefined> =>
  db
    .selectFrom('organizations')
    .select(['fine_grained_tokens_allowed', 'token_approval_required', 'max_token_days'])
    .where('account_id', '=', organization)
    .executeTakeFirst();

const ofToken = [
  'tokens.account_id as user_id',
  'tokens.name as token_name',
  'tokens.expires_at as token_expires_at',
  'tokens.last_used_at as token_last_used_at',
] as const;

const requests = (db: Db) =>
  db
    .selectFrom('token_requests')
    .innerJoin('tokens', 'tokens.id', 'token_requests.token_id')
    .selectAll('token_requests')
    .select(ofToken);

const grants = (db: Db, organization: OrSql<Organization>) =>
  db
    .selectFrom('tokens')
    .select(['tokens.id', 'tokens.permissions', 'tokens.repository_selection', 'tokens.granted_at', ...ofToken])
    .where('tokens.owner_id', '=', organization)
    .where('tokens.granted_at', 'is not', null);

/** A request to an organization. */
export const selectTokenRequest = (db: Db, organization: OrSql<Organization>, id: Request) =>
  requests(db).where('token_requests.organization_id', '=', organization).where('token_requests.id', '=', id);

/** A token that an organization has approved. */
export const selectTokenGrant = (db: Db, organization: OrSql<Organization>, id: Id<'tokens'>) =>
  grants(db, organization).where('tokens.id', '=', id);

/** The filter of lists of requests and of approved tokens. Undefined fields match everything. */
export type TokenFilter = {
  readonly owners?: readonly string[] | undefined;
  readonly repository?: string | undefined;
  readonly permission?: Permission | undefined;
  readonly usedBefore?: Date | undefined;
  readonly usedAfter?: Date | undefined;
  readonly tokens?: readonly Id<'tokens'>[] | undefined;
};

type TokenListOptions = { filter: TokenFilter; direction: 'asc' | 'desc'; page: Page };

/** The requests to an organization, by the time of the request. */
export const listTokenRequests = (
  db: Db,
  organization: Organization,
  { filter, direction, page }: TokenListOptions,
): Promise<Listed<TokenRequestRow>> => {
  const chosen = sql`exists (select from token_request_repositories c
    where c.request_id = token_requests.id and c.repository_id = wanted.id)`;
  const query = requests(db).where('token_requests.organization_id', '=', organization);
  const filtered = narrowed(query, filter, { organization, table: sql.table('token_requests'), chosen });
  return list(db, filtered.orderBy('token_requests.created_at', direction).orderBy('token_requests.id', direction), page);
};

/** The tokens that an organization has approved, by the time of the approval. */
export const listTokenGrants = (
  db: Db,
  organization: Organization,
  { filter, direction, page }: TokenListOptions,
): Promise<Listed<TokenGrantRow>> => {
  const chosen = sql`exists (select from token_repositories c where c.token_id = tokens.id and c.repository_id = wanted.id)`;
  const filtered = narrowed(grants(db, organization), filter, { organization, table: sql.table('tokens'), chosen });
  return list(db, filtered.orderBy('tokens.granted_at', direction).orderBy('tokens.id', direction), page);
};

type Narrowing = {
  organization: Organization;
  /** The row with the permissions and the selection of repositories. */
  table: RawBuilder<unknown>;
  /** Whether the repository `wanted` is one of the selected ones. */
  chosen: RawBuilder<unknown>;
};

function narrowed<D, T extends keyof D, Row>(
  query: SelectQueryBuilder<D, T, Row>,
  { owners, repository, permission, usedBefore, usedAfter, tokens }: TokenFilter,
  { organization, table, chosen }: Narrowing,
): SelectQueryBuilder<D, T, Row> {
  const conditions: RawBuilder<boolean>[] = [];
  if (owners)
    conditions.push(sql`tokens.account_id in (
      select a.id from accounts a where lower(a.login) = any (${owners.map((login) => login.toLowerCase())}))`);
  if (repository !== undefined)
    conditions.push(sql`exists (select from repositories wanted
      where wanted.owner_id = ${organization} and lower(wanted.name) = lower(${repository})
        and (${table}.repository_selection = 'all' or ${table}.repository_selection = 'selected' and ${chosen}))`);
  if (permission !== undefined) conditions.push(permissionIn(sql`${table}.permissions`, permission));
  if (usedBefore) conditions.push(sql`tokens.last_used_at < ${usedBefore}`);
  if (usedAfter) conditions.push(sql`tokens.last_used_at > ${usedAfter}`);
  if (tokens) conditions.push(sql`tokens.id = any (${[...tokens]})`);
  return conditions.reduce((narrower, condition) => narrower.where(condition), query);
}

const owned = (db: Db, owner: Organization) => db.selectFrom('repositories').selectAll().where('owner_id', '=', owner);

type Selecting = { id: number; repository_selection: TokenGrantRow['repository_selection'] };

/** The repositories of a request. */
export const listRequestedRepositories = (
  db: Db,
  organization: Organization,
  { id, repository_selection }: Selecting,
  page: Page,
) =>
  list(
    db,
    selected(owned(db, organization), repository_selection, sql`token_request_repositories c where c.request_id = ${id}`),
    page,
  );

/** The repositories of an approved token. */
export const listGrantedRepositories = (
  db: Db,
  organization: Organization,
  { id, repository_selection }: Selecting,
  page: Page,
) => list(db, selected(owned(db, organization), repository_selection, sql`token_repositories c where c.token_id = ${id}`), page);

function selected(query: ReturnType<typeof owned>, selection: TokenGrantRow['repository_selection'], from: RawBuilder<unknown>) {
  const ordered = query.orderBy('repositories.id');
  if (selection === 'all') return ordered;
  if (selection !== 'selected') return ordered.where(sql<boolean>`false`);
  return ordered.where(sql<boolean>`repositories.id in (select c.repository_id from ${from})`);
}

/** A request with its token's current access and its repositories, for webhook payloads. */
export type FullTokenRequest = TokenRequestRow & {
  held: PermissionSet;
  repositories: Id<'repositories'>[];
};

const full = (tx: Tx) =>
  requests(tx).select([
    sql<PermissionSet>`tokens.permissions`.as('held'),
    sql<Id<'repositories'>[]>`array(select c.repository_id from token_request_repositories c
      where c.request_id = token_requests.id order by 1)`.as('repositories'),
  ]);

/** Requests to an organization. Changing a request requires locking its token first. */
export async function loadTokenRequestsForUpdate(
  tx: Tx,
  organization: Organization,
  ids: readonly number[],
): Promise<FullTokenRequest[]> {
  const own = (db: Tx) =>
    db
      .selectFrom('token_requests as q')
      .where('q.organization_id', '=', organization)
      .where(sql<boolean>`q.id = any (${[...ids]})`);
  const locked = tx.selectFrom('tokens').select('id').where('id', 'in', own(tx).select('q.token_id')).orderBy('id').forUpdate();
  const found = full(tx).where('token_requests.id', 'in', own(tx).select('q.id')).orderBy('token_requests.id');
  return (await Promise.all([locked.execute(), found.execute()]))[1];
}

/** The requests of these tokens. */
export const loadRequestsOfTokens = (tx: Tx, tokens: readonly Id<'tokens'>[]): Promise<FullTokenRequest[]> =>
  full(tx)
    .where(sql<boolean>`token_requests.token_id = any (${[...tokens]})`)
    .orderBy('token_requests.id')
    .execute();

/** Adds a request with its selected repositories. */
export async function insertTokenRequest(
  tx: Tx,
  row: Omit<Selectable<DB['token_requests']>, 'id' | 'permissions'> & { permissions: PermissionSet },
  repositories: readonly Id<'repositories'>[],
): Promise<void> {
  const { id } = await tx
    .insertInto('token_requests')
    .values({ ...row, permissions: JSON.stringify(row.permissions) })
    .returning('id')
    .executeTakeFirstOrThrow();
  if (repositories.length === 0) return;
  await tx
    .insertInto('token_request_repositories')
    .values(repositories.map((repository_id) => ({ request_id: id, repository_id })))
    .execute();
}

export const removeTokenRequests = (tx: Tx, ids: readonly Request[]) =>
  tx
    .deleteFrom('token_requests')
    .where(sql<boolean>`id = any (${[...ids]})`)
    .execute();

/** Grants tokens the access that their requests ask for. */
export async function grantRequested(tx: Tx, ids: readonly Request[], now: Date): Promise<void> {
  const of = sql`token_requests q where q.id = any (${[...ids]})`;
  sendUnawaited(tx, sql`delete from token_repositories where token_id in (select q.token_id from ${of})`.compile(tx));
  sendUnawaited(
    tx,
    sql`insert into token_repositories (token_id, repository_id)
      select q.token_id, c.repository_id from token_request_repositories c join token_requests q on q.id = c.request_id
      where q.id = any (${[...ids]})`.compile(tx),
  );
  await sql`update tokens t set permissions = q.permissions, repository_selection = q.repository_selection,
      access = 'granted', granted_at = ${now}
    from token_requests q where q.token_id = t.id and q.id = any (${[...ids]})`.execute(tx);
}

/** Marks tokens that were never approved as denied. */
export const denyTokens = (tx: Tx, tokens: readonly Id<'tokens'>[]) =>
  tx
    .updateTable('tokens')
    .set({ access: 'denied' })
    .where(sql<boolean>`id = any (${[...tokens]})`)
    .where('access', '=', 'pending')
    .execute();

/** The given tokens that an organization has approved, locked. */
export const loadGrantedForUpdate = (tx: Tx, organization: Organization, ids: readonly number[]) =>
  tx
    .selectFrom('tokens')
    .select('id')
    .where('owner_id', '=', organization)
    .where('granted_at', 'is not', null)
    .where(sql<boolean>`id = any (${[...ids]})`)
    .orderBy('id')
    .forUpdate()
    .execute();

/** A user's fine-grained tokens for an organization, locked. */
export const loadTokensForForUpdate = (tx: Tx, organization: Organization, user: Id<'accounts'>) =>
  tx
    .selectFrom('tokens')
    .select('id')
    .where('owner_id', '=', organization)
    .where('account_id', '=', user)
    .orderBy('id')
    .forUpdate()
    .execute();

/** Revokes all access of tokens that their organization has granted. */
export async function revokeTokens(tx: Tx, tokens: readonly Id<'tokens'>[]): Promise<void> {
  sendUnawaited(tx, sql`delete from token_repositories where token_id = any (${[...tokens]})`.compile(tx));
  await tx
    .updateTable('tokens')
    .set({ access: 'revoked', granted_at: null, permissions: '{}', repository_selection: 'public' })
    .where(sql<boolean>`id = any (${[...tokens]})`)
    .execute();
}
