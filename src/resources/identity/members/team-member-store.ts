import { type Insertable, type Selectable, sql } from 'kysely';
import type { Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';
import { isToUser } from './invitation-store.ts';

/**
 * Statements that write the members and invitees of teams. They are here, and not in the family of teams, since joining or
 * leaving an organization changes the teams of a user in the same transaction.
 */

/** The role of a member in a team. */
export type TeamMemberRole = Selectable<DB['team_members']>['role'];

/** The effect of inserting or changing a row. */
type Put = 'added' | 'changed' | 'same';

/** Adds a user to a team, or changes their role in it. */
export async function putTeamMember(tx: Tx, row: Insertable<DB['team_members']>): Promise<Put> {
  const { rows } = await sql<{ put: Put }>`
    with before as (select role from team_members where team_id = ${row.team_id} and user_id = ${row.user_id}),
    put as (
      insert into team_members (team_id, user_id, role, created_at)
      values (${row.team_id}, ${row.user_id}, ${row.role}, ${row.created_at})
      on conflict (team_id, user_id) do update set role = excluded.role
    )
    select coalesce((select case when role = ${row.role} then 'same' else 'changed' end from before), 'added') as put`.execute(
    tx,
  );
  return rows[0]?.put ?? 'same';
}

/** Adds a team to an invitation, so that the invitee joins it by accepting, or changes the role that the invitee gets in it. */
export async function putTeamInvitation(tx: Tx, row: Insertable<DB['team_invitations']>): Promise<Put> {
  const { rows } = await sql<{ put: Put }>`
    with before as (select role from team_invitations where team_id = ${row.team_id} and invitation_id = ${row.invitation_id}),
    put as (
      insert into team_invitations (team_id, invitation_id, role, created_at)
      values (${row.team_id}, ${row.invitation_id}, ${row.role}, ${row.created_at})
      on conflict (invitation_id, team_id) do update set role = excluded.role
    )
    select coalesce((select case when role = ${row.role} then 'same' else 'changed' end from before), 'added') as put`.execute(
    tx,
  );
  return rows[0]?.put ?? 'same';
}

/** Adds many teams to a new invitation. */
export const insertTeamInvitations = (tx: Tx, rows: readonly Insertable<DB['team_invitations']>[]) =>
  tx.insertInto('team_invitations').values(rows).execute();

/** Removes a team from an account's invitation; false if the invitation doesn't include it. */
export async function removeTeamInvitation(tx: Tx, team: Id<'teams'>, user: Id<'accounts'>): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from team_invitations t using organization_invitations i
    where t.invitation_id = i.id and t.team_id = ${team} and i.invitee_id = ${user} and i.failed_at is null`.execute(tx);
  return Number(numAffectedRows ?? 0) > 0;
}

/**
 * Ends the invitations of a new member of an organization, and adds the member to the teams of these invitations. Returns the
 * teams, with the role in each. Failed invitations end too, without effect.
 */
export async function acceptInvitations(
  tx: Tx,
  { organization, user, now }: { organization: Id<'accounts'>; user: Id<'accounts'>; now: Date },
): Promise<{ team: Id<'teams'>; role: TeamMemberRole }[]> {
  const { rows } = await sql<{ team: Id<'teams'>; role: TeamMemberRole }>`
    with accepted as (
      delete from organization_invitations i where i.organization_id = ${organization} and ${isToUser(user)}
      returning i.id, i.failed_at
    )
    insert into team_members (team_id, user_id, role, created_at)
    select t.team_id, ${user}, t.role, ${now} from team_invitations t join accepted on accepted.id = t.invitation_id
    where accepted.failed_at is null order by t.team_id, t.role
    on conflict (team_id, user_id) do nothing
    returning team_id as team, role`.execute(tx);
  return rows;
}

/** Removes a user from a team; false if the user isn't in it. */
export const removeTeamMember = async (tx: Tx, team: Id<'teams'>, user: Id<'accounts'>): Promise<boolean> =>
  (await tx.deleteFrom('team_members').where('team_id', '=', team).where('user_id', '=', user).executeTakeFirst())
    .numDeletedRows > 0n;

/** Removes a user from all teams of an organization. Returns those teams. */
export async function removeFromTeams(tx: Tx, organization: Id<'accounts'>, user: Id<'accounts'>): Promise<Id<'teams'>[]> {
  const { rows } = await sql<{ team_id: Id<'teams'> }>`
    delete from team_members tm using teams t
    where t.id = tm.team_id and t.organization_id = ${organization} and tm.user_id = ${user}
    returning tm.team_id`.execute(tx);
  return rows.map((row) => row.team_id);
}
