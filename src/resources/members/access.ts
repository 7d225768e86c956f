import { sql } from 'kysely';
import type { Tx } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';

/**
 * What a person reaches in an organization beside the membership itself. Membership and access end in one transaction, so
 * that no moment is left in which somebody who was removed still reads; hence these statements stand here, and not in jobs
 * of the families that give the access.
 */

type Place = { organization: Id<'accounts'>; user: Id<'accounts'> };

/** Takes somebody out of all teams of an organization; the teams that they were in. */
export async function removeFromTeams(tx: Tx, { organization, user }: Place): Promise<Id<'teams'>[]> {
  const { rows } = await sql<{ team_id: Id<'teams'> }>`
    delete from team_members tm using teams t
    where t.id = tm.team_id and t.organization_id = ${organization} and tm.user_id = ${user}
    returning tm.team_id`.execute(tx);
  return rows.map((row) => row.team_id);
}

/** Takes away every direct role in an organization's repositories; the repositories that they had one in. */
export async function removeDirectRoles(tx: Tx, { organization, user }: Place): Promise<Id<'repositories'>[]> {
  const { rows } = await sql<{ repository_id: Id<'repositories'> }>`
    delete from collaborators c using repositories r
    where r.id = c.repository_id and r.owner_id = ${organization} and c.user_id = ${user}
    returning c.repository_id`.execute(tx);
  return rows.map((row) => row.repository_id);
}

export type Withdrawn = { repository_id: Id<'repositories'>; invitee_id: Id<'accounts'> };

/** Withdraws the invitations into an organization's repositories that somebody was sent or has sent. */
export async function removeRepositoryInvitations(tx: Tx, { organization, user }: Place): Promise<Withdrawn[]> {
  const { rows } = await sql<Withdrawn>`
    delete from repository_invitations i using repositories r
    where r.id = i.repository_id and r.owner_id = ${organization} and ${user} in (i.invitee_id, i.inviter_id)
    returning i.repository_id, i.invitee_id`.execute(tx);
  return rows;
}
