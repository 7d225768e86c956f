import { type Selectable, sql, type Updateable } from 'kysely';
import type { Role } from '#access/roles.ts';
import type { Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';

/**
 * What is written of direct roles in repositories, and of the invitations to them. It stands here, and not in the family of
 * collaborators, since a member who is removed loses them in the transaction that ends the membership, and can't read for a moment
 * longer.
 */

type Organization = Id<'accounts'>;
type User = Id<'accounts'>;
type Repository = Id<'repositories'>;
type InvitationId = Id<'repository_invitations'>;

export type CollaboratorRow = Selectable<DB['collaborators']>;
export type InvitationRow = Selectable<DB['repository_invitations']>;

/** A role in one of several repositories. */
export type RoleInRepository = { repository_id: Repository; role: Role };

/** Gives somebody a direct role, or changes the one that they have. */
export const putCollaborator = (tx: Tx, row: CollaboratorRow) =>
  tx
    .insertInto('collaborators')
    .values(row)
    .onConflict((conflict) => conflict.columns(['repository_id', 'user_id']).doUpdateSet({ role: row.role }))
    .execute();

/** Gives somebody direct roles in many repositories, unless they have a stronger one there. Returns the roles that they have now. */
export async function raiseCollaborator(
  tx: Tx,
  user: User,
  given: readonly RoleInRepository[],
  now: Date,
): Promise<RoleInRepository[]> {
  if (given.length === 0) return [];
  const { rows } = await sql<RoleInRepository>`
    insert into collaborators as c (repository_id, user_id, role, created_at)
    select g.repository_id, ${user}, g.role, ${now}
    from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as g (repository_id bigint, role text)
    on conflict (repository_id, user_id) do update set role =
      case when role_level(excluded.role) > role_level(c.role) then excluded.role else c.role end
    returning c.repository_id, c.role`.execute(tx);
  return rows;
}

/** Ends somebody's direct role; false when they have none. */
export const removeCollaborator = async (tx: Tx, repository: Repository, user: User): Promise<boolean> =>
  (await tx.deleteFrom('collaborators').where('repository_id', '=', repository).where('user_id', '=', user).executeTakeFirst())
    .numDeletedRows > 0n;

/** Removes somebody's direct roles in an organization's repositories. Returns those repositories. */
export async function removeDirectRoles(tx: Tx, organization: Organization, user: User): Promise<Repository[]> {
  const { rows } = await sql<{ repository_id: Repository }>`
    delete from collaborators c using repositories r
    where r.id = c.repository_id and r.owner_id = ${organization} and c.user_id = ${user}
    returning c.repository_id`.execute(tx);
  return rows.map((row) => row.repository_id);
}

type NewInvitation = Pick<InvitationRow, 'repository_id' | 'invitee_id' | 'inviter_id' | 'role' | 'created_at'>;

/** Invites somebody, or renews the invitation that they have. */
export const putInvitation = (tx: Tx, row: NewInvitation): Promise<InvitationRow> =>
  tx
    .insertInto('repository_invitations')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['repository_id', 'invitee_id']).doUpdateSet({
        inviter_id: row.inviter_id,
        role: row.role,
        created_at: row.created_at,
      }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();

/** Changes an invitation. */
export const updateInvitation = (
  tx: Tx,
  id: InvitationId,
  change: Updateable<DB['repository_invitations']>,
): Promise<InvitationRow> =>
  tx.updateTable('repository_invitations').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();

/** Removes an invitation; false when another request has removed it already. */
export const removeInvitation = async (tx: Tx, id: InvitationId): Promise<boolean> =>
  (await tx.deleteFrom('repository_invitations').where('id', '=', id).executeTakeFirst()).numDeletedRows > 0n;

/** Removes the invitations into a repository that somebody has sent. Returns who was invited. */
export async function removeInvitationsBy(tx: Tx, repository: Repository, inviter: User): Promise<User[]> {
  const rows = await tx
    .deleteFrom('repository_invitations')
    .where('repository_id', '=', repository)
    .where('inviter_id', '=', inviter)
    .returning('invitee_id')
    .execute();
  return rows.map((row) => row.invitee_id);
}

type Withdrawn = { repository_id: Repository; invitee_id: User };

/** Removes the invitations into an organization's repositories to somebody and by them. */
export async function removeRepositoryInvitations(tx: Tx, organization: Organization, user: User): Promise<Withdrawn[]> {
  const { rows } = await sql<Withdrawn>`
    delete from repository_invitations i using repositories r
    where r.id = i.repository_id and r.owner_id = ${organization} and ${user} in (i.invitee_id, i.inviter_id)
    returning i.repository_id, i.invitee_id`.execute(tx);
  return rows;
}
