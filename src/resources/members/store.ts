import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import { organizationReachedBy } from '#access/sql.ts';
import type { Account, SignedIn } from '#access/viewer.ts';
import type { Db, Tx } from '#database/connect.ts';
import { list, listAfter } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';

export type MembershipRow = Selectable<DB['memberships']>;

/** A membership with the organization's settings that its presentation needs. */
export type MembershipWithSettings = MembershipRow & { description: string | null; members_can_create_repositories: boolean };

type Organization = Id<'accounts'>;
type User = Id<'accounts'>;

/** Inserts a membership, or changes the present one. */
export const putMembership = (tx: Tx, row: Insertable<DB['memberships']>): Promise<MembershipRow> =>
  tx
    .insertInto('memberships')
    .values(row)
    .onConflict((conflict) => conflict.columns(['organization_id', 'user_id']).doUpdateSet({ role: row.role, state: row.state }))
    .returningAll()
    .executeTakeFirstOrThrow();

const withSettings = (db: Db) =>
  db
    .selectFrom('memberships')
    .innerJoin('organizations', 'organizations.account_id', 'memberships.organization_id')
    .selectAll('memberships')
    .select(['organizations.description', 'organizations.members_can_create_repositories']);

export const findMembership = (db: Db, organization: Organization, user: User): Promise<MembershipWithSettings | undefined> =>
  withSettings(db)
    .where('memberships.organization_id', '=', organization)
    .where('memberships.user_id', '=', user)
    .executeTakeFirst();

/** The viewer's own memberships, as far as the credential reaches their organizations. */
export function listOwnMemberships(
  db: Db,
  { account, grant }: SignedIn,
  state: MembershipRow['state'] | undefined,
  page: Page,
): Promise<Listed<MembershipWithSettings>> {
  let query = withSettings(db)
    .where('memberships.user_id', '=', account.id)
    .where(organizationReachedBy(grant, sql.ref('memberships.organization_id'), 'members'))
    .orderBy('memberships.organization_id');
  if (state) query = query.where('memberships.state', '=', state);
  return list(db, query, page);
}

type MemberList = {
  organization: Organization;
  /** `public` leaves concealed members out. */
  visibility: 'public' | 'everybody';
  role?: MembershipRow['role'] | undefined;
  page: Page;
};

/** The active members of an organization. */
export function listMembers(db: Db, { organization, visibility, role, page }: MemberList): Promise<Listed<Account>> {
  let query = db
    .selectFrom('accounts')
    .innerJoin('memberships', 'memberships.user_id', 'accounts.id')
    .selectAll('accounts')
    .where('memberships.organization_id', '=', organization)
    .where('memberships.state', '=', 'active')
    .orderBy('accounts.id');
  if (visibility === 'public') query = query.where('memberships.public', '=', true);
  if (role) query = query.where('memberships.role', '=', role);
  return list(db, query, page);
}

/**
 * Lets one change at a time through to what an organization has one of, numbers or counts by itself, until the transaction ends; so its
 * last two owners can't leave at the same time.
 */
export const lockOrganization = (tx: Tx, organization: Organization) =>
  tx.selectFrom('organizations').select('account_id').where('account_id', '=', organization).forNoKeyUpdate().execute();

/** Whether a user is an active member. If so, the membership is locked until the transaction ends. */
export const findMembershipForUpdate = async (tx: Tx, organization: Organization, user: User): Promise<boolean> =>
  (await tx
    .selectFrom('memberships')
    .select('user_id')
    .where('organization_id', '=', organization)
    .where('user_id', '=', user)
    .where('state', '=', 'active')
    .forShare()
    .executeTakeFirst()) !== undefined;

/** Whether an organization has an active owner other than this user. */
export const hasOtherOwner = async (tx: Tx, organization: Organization, user: User): Promise<boolean> =>
  (await tx
    .selectFrom('memberships')
    .select('user_id')
    .where('organization_id', '=', organization)
    .where('role', '=', 'owner')
    .where('state', '=', 'active')
    .where('user_id', '<>', user)
    .limit(1)
    .executeTakeFirst()) !== undefined;

export const updateMembership = (tx: Tx, organization: Organization, user: User, change: Updateable<DB['memberships']>) =>
  tx
    .updateTable('memberships')
    .set(change)
    .where('organization_id', '=', organization)
    .where('user_id', '=', user)
    .returningAll()
    .executeTakeFirstOrThrow();

export const removeMembership = (tx: Tx, organization: Organization, user: User) =>
  tx.deleteFrom('memberships').where('organization_id', '=', organization).where('user_id', '=', user).execute();

/** The active members of an organization after one of them, in the order of their ids. */
export const listMembersAfter = (db: Db, organization: Organization, after: number, limit: number) =>
  listAfter(
    db
      .selectFrom('memberships')
      .innerJoin('accounts', 'accounts.id', 'memberships.user_id')
      .select(['accounts.id', 'accounts.login', 'memberships.role', 'memberships.public'])
      .where('memberships.organization_id', '=', organization)
      .where('memberships.state', '=', 'active'),
    'memberships.user_id',
    after,
    limit,
  );

/** The organizations of which a user is an active member. */
export async function listOrganizationIdsOf(db: Db, user: User): Promise<Organization[]> {
  const rows = await db
    .selectFrom('memberships')
    .select('organization_id')
    .where('user_id', '=', user)
    .where('state', '=', 'active')
    .orderBy('organization_id')
    .execute();
  return rows.map(({ organization_id }) => organization_id);
}
