import { sql } from 'kysely';
import type { Tx } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';

/**
 * Removes what gives a person access in an organization beside the membership. It has to happen in the transaction that ends the
 * membership, so that somebody who was removed can't read for a moment longer. So these statements on other families' tables
 * stand here, and not in jobs of those families.
 */

type MemberKey = { organization: Id<'accounts'>; user: Id<'accounts'> };

/** Removes somebody from all teams of an organization. Returns those teams. */
export async function removeFromTeams(tx: Tx, { organization, user }: MemberKey): Promise<Id<'teams'>[]> {
  const { rows } = await sql<{ team_id: Id<'teams'> }>`
    delete from team_members tm using teams t
    where t.id = tm.team_id and t.organization_id = ${organization} and tm.user_id = ${user}
    returning tm.team_id`.execute(tx);
  return rows.map((row) => row.team_id);
}

/** Removes somebody's direct roles in an organization's repositories. Returns those repositories. */
export async function removeDirectRoles(tx: Tx, { organization, user }: MemberKey): Promise<Id<'repositories'>[]> {
  const { rows } = await sql<{ repository_id: Id<'repositories'> }>`
    delete from collaborators c using repositories r
    where r.id = c.repository_id and r.owner_id = ${organization} and c.user_id = ${user}
    returning c.repository_id`.execute(tx);
  return rows.map((row) => row.repository_id);
}

export type Withdrawn = { repository_id: Id<'repositories'>; invitee_id: Id<'accounts'> };

/** Removes the invitations into an organization's repositories to somebody and by them. */
export async function removeRepositoryInvitations(tx: Tx, { organization, user }: MemberKey): Promise<Withdrawn[]> {
  const { rows } = await sql<Withdrawn>`
    delete from repository_invitations i using repositories r
    where r.id = i.repository_id and r.owner_id = ${organization} and ${user} in (i.invitee_id, i.inviter_id)
    returning i.repository_id, i.invitee_id`.execute(tx);
  return rows;
}
