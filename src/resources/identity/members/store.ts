import { type Insertable, type RawBuilder, type Selectable, sql, type Updateable } from 'kysely';
import { organizationReachedBy } from '#access/sql.ts';
import type { Account, SignedIn } from '#access/viewer.ts';
import type { Db, Tx } from '#database/connect.ts';
import { list, listAfter } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';
import { isToUser } from './invitation-store.ts';

type MembershipRow = Selectable<DB['memberships']>;

/**
 * A user's role in an organization, current or after accepting an invitation, with the organization's settings for presenting it.
 */
export type Membership = MembershipRow & {
  state: 'active' | 'pending';
  description: string | null;
  members_can_create_repositories: boolean;
};

type Organization = Id<'accounts'>;
type User = Id<'accounts'>;

/** Inserts a membership, or changes the role of the existing one. */
export const putMembership = (tx: Tx, row: Insertable<DB['memberships']>): Promise<MembershipRow> =>
  tx
    .insertInto('memberships')
    .values(row)
    .onConflict((conflict) => conflict.columns(['organization_id', 'user_id']).doUpdateSet({ role: row.role }))
    .returningAll()
    .executeTakeFirstOrThrow();

type Standing = MembershipRow & { state: Membership['state'] };

/** A user's memberships. For an organization without one, the strongest of the pending `invitations` for the user. */
const standingOf = (user: User, invitations: RawBuilder<boolean>) => sql<Standing>`(
  select organization_id, user_id, role, public, created_at, 'active' as state from memberships where user_id = ${user}
  union all (
    select distinct on (i.organization_id) i.organization_id, ${user}::bigint, i.role, false, i.created_at, 'pending'
    from organization_invitations i where i.failed_at is null and ${invitations}
      and not exists (select from memberships m where m.organization_id = i.organization_id and m.user_id = ${user})
    order by i.organization_id, i.role desc))`;

const withSettings = (db: Db, standing: RawBuilder<Standing>) =>
  db
    .selectFrom(standing.as('memberships'))
    .innerJoin('organizations', 'organizations.account_id', 'memberships.organization_id')
    .selectAll('memberships')
    .select(['organizations.description', 'organizations.members_can_create_repositories']);

/** A user's membership, or the one that an invitation of the account offers. */
export const findMembership = (db: Db, organization: Organization, user: User): Promise<Membership | undefined> =>
  withSettings(db, standingOf(user, sql`i.invitee_id = ${user}`))
    .where('memberships.organization_id', '=', organization)
    .executeTakeFirst();

/** The user's own view of their membership, which includes invitations to their addresses. */
export const findOwnMembership = (db: Db, organization: Organization, user: User): Promise<Membership | undefined> =>
  withSettings(db, standingOf(user, isToUser(user)))
    .where('memberships.organization_id', '=', organization)
    .executeTakeFirst();

/** The viewer's own memberships and invitations in organizations that the credential reaches. */
export function listOwnMemberships(
  db: Db,
  { account, grant }: SignedIn,
  state: Membership['state'] | undefined,
  page: Page,
): Promise<Listed<Membership>> {
  let query = withSettings(db, standingOf(account.id, isToUser(account.id)))
    .where(organizationReachedBy(grant, sql.ref('memberships.organization_id'), 'members'))
    .orderBy('memberships.organization_id');
  if (state) query = query.where('memberships.state', '=', state);
  return list(db, query, page);
}

type MemberList = {
  organization: Organization;
  /** `public` excludes concealed members. */
  visibility: 'public' | 'everybody';
  role?: MembershipRow['role'] | undefined;
  page: Page;
};

/** The members of an organization. */
export function listMembers(db: Db, { organization, visibility, role, page }: MemberList): Promise<Listed<Account>> {
  let query = db
    .selectFrom('accounts')
    .innerJoin('memberships', 'memberships.user_id', 'accounts.id')
    .selectAll('accounts')
    .where('memberships.organization_id', '=', organization)
    .orderBy('accounts.id');
  if (visibility === 'public') query = query.where('memberships.public', '=', true);
  if (role) query = query.where('memberships.role', '=', role);
  return list(db, query, page);
}

/**
 * Serializes changes of unique names, numbers or counts in an organization until the transaction ends. For example, its last two
 * owners can't leave at the same time.
 */
export const lockOrganization = (tx: Tx, organization: Organization) =>
  tx.selectFrom('organizations').select('account_id').where('account_id', '=', organization).forNoKeyUpdate().execute();

/** Whether a user is a member. If so, the membership is locked until the transaction ends. */
export const findMembershipForUpdate = async (tx: Tx, organization: Organization, user: User): Promise<boolean> =>
  (await tx
    .selectFrom('memberships')
    .select('user_id')
    .where('organization_id', '=', organization)
    .where('user_id', '=', user)
    .forShare()
    .executeTakeFirst()) !== undefined;

/** The organizations that a user owns, by login. */
export const listOwnedOrganizations = (db: Db, user: User): Promise<Account[]> =>
  db
    .selectFrom('memberships')
    .innerJoin('accounts', 'accounts.id', 'memberships.organization_id')
    .selectAll('accounts')
    .where('memberships.user_id', '=', user)
    .where('memberships.role', '=', 'owner')
    .where('accounts.kind', '=', 'organization')
    .orderBy(sql`lower(accounts.login)`)
    .execute();

/** Whether an organization has an owner other than this user. */
export const hasOtherOwner = async (tx: Tx, organization: Organization, user: User): Promise<boolean> =>
  (await tx
    .selectFrom('memberships')
    .select('user_id')
    .where('organization_id', '=', organization)
    .where('role', '=', 'owner')
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

/** Removes a membership, and stores its former role. */
export const removeMembership = (tx: Tx, organization: Organization, user: User, now: Date) =>
  sql`
    with removed as (
      delete from memberships where organization_id = ${organization} and user_id = ${user}
      returning organization_id, user_id, role
    )
    insert into former_members (organization_id, user_id, role, ended_at)
    select organization_id, user_id, role, ${now} from removed
    on conflict (organization_id, user_id) do update set role = excluded.role, ended_at = excluded.ended_at`.execute(tx);

/** The role of a former member. */
export const findFormerRole = async (
  db: Db,
  organization: Organization,
  user: User,
): Promise<MembershipRow['role'] | undefined> =>
  (
    await db
      .selectFrom('former_members')
      .select('role')
      .where('organization_id', '=', organization)
      .where('user_id', '=', user)
      .executeTakeFirst()
  )?.role;

/** The members of an organization after a given one, ordered by id. */
export const listMembersAfter = (db: Db, organization: Organization, after: number, limit: number) =>
  listAfter(
    db
      .selectFrom('memberships')
      .innerJoin('accounts', 'accounts.id', 'memberships.user_id')
      .select(['accounts.id', 'accounts.login', 'memberships.role', 'memberships.public'])
      .where('memberships.organization_id', '=', organization),
    'memberships.user_id',
    after,
    limit,
  );

/** The organizations that a user is a member of. */
export async function listOrganizationIdsOf(db: Db, user: User): Promise<Organization[]> {
  const rows = await db
    .selectFrom('memberships')
    .select('organization_id')
    .where('user_id', '=', user)
    .orderBy('organization_id')
    .execute();
  return rows.map(({ organization_id }) => organization_id);
}

/** Removes all members of an organization, its former members, and its invitations. */
export const removeMembersOf = (tx: Tx, organization: Organization) =>
  sql`
    with members as (delete from memberships where organization_id = ${organization}),
      former as (delete from former_members where organization_id = ${organization})
    delete from organization_invitations where organization_id = ${organization}`.execute(tx);
