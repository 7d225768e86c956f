import { type Insertable, type Selectable, sql } from 'kysely';
import type { Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';

/**
 * Statements that write members of teams. They are here, and not in the family of teams, since a user who leaves an organization
 * leaves its teams in the same transaction.
 */

/** The role of a member in a team. */
export type TeamMemberRole = Selectable<DB['team_members']>['role'];

/** What inserting or changing a row has done. */
export type Put = 'added' | 'changed' | 'same';

/** Adds a user to a team, or changes their role in it. */
export async function putTeamMember(tx: Tx, row: Insertable<DB['team_members']>): Promise<Put> {
  const { rows } = await sql<{ put: Put }>`
    with before as (select role from team_members where team_id = ${row.team_id} and user_id = ${row.user_id}),
    put as (
      insert into team_members (team_id, user_id, role, created_at) values (${row.team_id}, ${row.user_id}, ${row.role}, ${row.created_at})
      on conflict (team_id, user_id) do update set role = excluded.role
    )
    select coalesce((select case when role = ${row.role} then 'same' else 'changed' end from before), 'added') as put`.execute(
    tx,
  );
  return rows[0]?.put ?? 'same';
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
