import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Db, OrSql, Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';

/** Statements about invitations to organizations and their teams. */

type Organization = Id<'accounts'>;
type User = Id<'accounts'>;
type InvitationId = Id<'organization_invitations'>;

export type OrganizationInvitationRow = Selectable<DB['organization_invitations']>;

/** The invitee: an account, or an e-mail address, whose owner is found once it is verified. */
export type Invitee = { readonly user: User } | { readonly email: string };

const isTo = (invitee: Invitee) =>
  'user' in invitee ? sql<boolean>`invitee_id = ${invitee.user}` : sql<boolean>`lower(email) = lower(${invitee.email})`;

/** Whether an invitation is for a user: for the account, or for one of the user's verified addresses. */
export const isToUser = (user: User) => sql<boolean>`(i.invitee_id = ${user} or i.email is not null and exists (
  select from email_addresses e where e.account_id = ${user} and e.verified_at is not null and lower(e.email) = lower(i.email)))`;

/** The number of teams that the invitee joins by accepting. */
const teamCount = sql<number>`(select count(*) from team_invitations t where t.invitation_id = i.id)`;

/** An invitation, with the number of its teams. */
export type CountedInvitation = OrganizationInvitationRow & { teams: number };

/** The number of an invitation's teams; 0 after it was accepted. */
export async function countInvitationTeams(db: Db, id: InvitationId): Promise<number> {
  const { rows } = await sql<{ teams: number }>`
    select count(*) as teams from team_invitations where invitation_id = ${id}`.execute(db);
  return rows[0]?.teams ?? 0;
}

export const selectInvitation = (db: Db, organization: OrSql<Organization>, id: InvitationId) =>
  db.selectFrom('organization_invitations').selectAll().where('organization_id', '=', organization).where('id', '=', id);

/** Reads the invitation again and locks its row; undefined if it was accepted or withdrawn. */
export const findOrganizationInvitationForUpdate = (
  tx: Tx,
  { id }: Pick<OrganizationInvitationRow, 'id'>,
): Promise<OrganizationInvitationRow | undefined> =>
  tx.selectFrom('organization_invitations').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();

/** An invitee's invitation, pending or failed. There is at most one. */
export const findInvitationTo = (
  db: Db,
  organization: Organization,
  invitee: Invitee,
): Promise<OrganizationInvitationRow | undefined> =>
  db
    .selectFrom('organization_invitations')
    .selectAll()
    .where('organization_id', '=', organization)
    .where(isTo(invitee))
    .executeTakeFirst();

/**
 * The pending invitations that a user may accept, including those to their verified addresses; the strongest role comes first.
 */
export const listInvitationsOf = (db: Db, organization: Organization, user: User): Promise<OrganizationInvitationRow[]> =>
  db
    .selectFrom('organization_invitations as i')
    .selectAll()
    .where('organization_id', '=', organization)
    .where('failed_at', 'is', null)
    .where(isToUser(user))
    .orderBy('role', 'desc')
    .orderBy('id')
    .execute();

type InvitationList = {
  organization: Organization;
  state: 'pending' | 'failed';
  role?: OrganizationInvitationRow['role'] | undefined;
  /** Only invitations to a team. */
  team?: Id<'teams'> | undefined;
  page: Page;
};

/** The invitations to an organization, oldest first. */
export function listInvitations(
  db: Db,
  { organization, state, role, team, page }: InvitationList,
): Promise<Listed<CountedInvitation>> {
  let query = db
    .selectFrom('organization_invitations as i')
    .selectAll('i')
    .select(teamCount.as('teams'))
    .where('i.organization_id', '=', organization)
    .where('i.failed_at', state === 'pending' ? 'is' : 'is not', null)
    .orderBy('i.id');
  if (role) query = query.where('i.role', '=', role);
  if (team !== undefined)
    query = query.where(sql<boolean>`i.id in (select t.invitation_id from team_invitations t where t.team_id = ${team})`);
  return list(db, query, page);
}

export const insertInvitation = (tx: Tx, row: Insertable<DB['organization_invitations']>): Promise<OrganizationInvitationRow> =>
  tx.insertInto('organization_invitations').values(row).returningAll().executeTakeFirstOrThrow();

export const updateOrganizationInvitation = (
  tx: Tx,
  id: InvitationId,
  change: Updateable<DB['organization_invitations']>,
): Promise<OrganizationInvitationRow> =>
  tx.updateTable('organization_invitations').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();

export const removeOrganizationInvitation = (tx: Tx, id: InvitationId) =>
  tx.deleteFrom('organization_invitations').where('id', '=', id).execute();

/**
 * Marks pending invitations from before a given time as failed, up to a limit, and skips those that another transaction has
 * locked.
 */
export async function failInvitations(
  tx: Tx,
  { before, reason, now, limit }: { before: Date; reason: string; now: Date; limit: number },
): Promise<OrganizationInvitationRow[]> {
  const { rows } = await sql<OrganizationInvitationRow>`
    update organization_invitations set failed_at = ${now}, failed_reason = ${reason} where id = any (array(
      select id from organization_invitations where failed_at is null and created_at <= ${before}
      order by created_at limit ${limit} for update skip locked))
    returning *`.execute(tx);
  return rows;
}
