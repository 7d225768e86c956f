import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import { organizationKnownTo } from '#access/sql.ts';
import type { Account, SignedIn } from '#access/viewer.ts';
import type { Db, Tx } from '#database/connect.ts';
import { list, listSince } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';
import type { Listed, Page, Uncounted } from '#lib/page.ts';

export type Settings = Selectable<DB['organizations']>;
export type OrganizationRow = Account & { settings: Settings };

export const getSettings = (db: Db, id: Id<'accounts'>): Promise<Settings> =>
  db.selectFrom('organizations').selectAll().where('account_id', '=', id).executeTakeFirstOrThrow();

/** The address that users see when push protection blocks them; undefined if the owner has none, or isn't an organization. */
export async function findPushProtectionLink(db: Db, owner: Id<'accounts'>): Promise<string | undefined> {
  const row = await db
    .selectFrom('organizations')
    .select('secret_scanning_push_protection_custom_link as link')
    .where('account_id', '=', owner)
    .where('secret_scanning_push_protection_custom_link_enabled', '=', sql.lit(true))
    .executeTakeFirst();
  return row?.link ?? undefined;
}

export const insertSettings = (tx: Tx, row: Insertable<DB['organizations']>): Promise<Settings> =>
  tx.insertInto('organizations').values(row).returningAll().executeTakeFirstOrThrow();

export const updateSettings = (tx: Tx, id: Id<'accounts'>, change: Updateable<DB['organizations']>): Promise<Settings> =>
  tx.updateTable('organizations').set(change).where('account_id', '=', id).returningAll().executeTakeFirstOrThrow();

/** The organizations that the viewer is a member of and that the credential may see. */
export function listOrganizationsOf(
  db: Db,
  { account, grant }: SignedIn,
  page: Page,
): Promise<Listed<Account & { description: string | null }>> {
  const query = db
    .selectFrom('accounts')
    .innerJoin('memberships', 'memberships.organization_id', 'accounts.id')
    .innerJoin('organizations', 'organizations.account_id', 'accounts.id')
    .selectAll('accounts')
    .select('organizations.description')
    .where('memberships.user_id', '=', account.id)
    .where(organizationKnownTo(grant, sql.ref('accounts.id')))
    .orderBy('accounts.id');
  return list(db, query, page);
}

/** The organizations in which a user's membership is public, or all of them if the viewer is that user. */
export const listPublicOrganizationsOf = (
  db: Db,
  user: Id<'accounts'>,
  page: Page,
): Promise<Listed<Account & { description: string | null }>> =>
  list(
    db,
    db
      .selectFrom('accounts')
      .innerJoin('memberships', 'memberships.organization_id', 'accounts.id')
      .innerJoin('organizations', 'organizations.account_id', 'accounts.id')
      .selectAll('accounts')
      .select('organizations.description')
      .where('memberships.user_id', '=', user)
      .where('memberships.public', '=', sql<boolean>`true`)
      .orderBy('accounts.id'),
    page,
  );

/** All organizations, oldest first. */
export const listOrganizations = (db: Db, page: Page): Promise<Uncounted<Account & { description: string | null }>> =>
  listSince(
    db
      .selectFrom('organizations')
      .innerJoin('accounts', 'accounts.id', 'organizations.account_id')
      .selectAll('accounts')
      .select('organizations.description')
      .where('accounts.kind', '=', 'organization'),
    'organizations.account_id',
    page,
  );

type RepositoryCounts = { public_repos: number; private_repos: number };

/** Organizations by their ids, with their settings and number of repositories, for a whole page in one statement. */
export async function loadOrganizations(
  db: Db,
  ids: readonly Id<'accounts'>[],
): Promise<(OrganizationRow & { counts: RepositoryCounts })[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('accounts')
    .innerJoin('organizations as o', 'o.account_id', 'accounts.id')
    .selectAll('accounts')
    .select([
      sql<Settings>`to_jsonb(o)`.as('settings'),
      sql<RepositoryCounts>`(select jsonb_build_object(
        'public_repos', count(*) filter (where r.visibility = 'public'),
        'private_repos', count(*) filter (where r.visibility <> 'public'))
        from repositories r where r.owner_id = accounts.id)`.as('counts'),
    ])
    .where('accounts.id', 'in', ids)
    .execute();
  return rows;
}
