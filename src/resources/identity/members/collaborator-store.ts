import { type Selectable, sql, type Updateable } from 'kysely';
import type { Role } from '#access/roles.ts';
import type { Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import type { Id, RepositoryId } from '#lib/id.ts';

/**
 * Statements that write direct roles in repositories, and invitations to them. They are here, and not in the family of
 * collaborators, since the transaction that ends a membership also removes these, so that a removed member immediately loses all
 * access.
 */

type Organization = Id<'accounts'>;
type User = Id<'accounts'>;
type InvitationId = Id<'repository_invitations'>;

export type CollaboratorRow = Selectable<DB['collaborators']>;
export type InvitationRow = Selectable<DB['repository_invitations']>;

/** A role in one of several repositories. */
export type RoleInRepository = { repository_id: RepositoryId; role: Role };

/** Inserts a user's direct role, or changes the existing one. */
export const putCollaborator = (tx: Tx, row: CollaboratorRow) =>
  tx
    .insertInto('collaborators')
    .values(row)
    .onConflict((conflict) => conflict.columns(['repository_id', 'user_id']).doUpdateSet({ role: row.role }))
    .execute();

/** Gives a user direct roles in many repositories, unless they have a stronger one there. Returns the resulting roles. */
export async function raiseCollaborator(
  tx: Tx,
  user: User,
  roles: readonly RoleInRepository[],
  now: Date,
): Promise<RoleInRepository[]> {
  if (roles.length === 0) return [];
  const { rows } = await sql<RoleInRepository>`
    insert into collaborators as c (repository_id, user_id, role, created_at)
    select g.repository_id, ${user}, g.role, ${now}
    from jsonb_to_recordset(${JSON.stringify(roles)}::jsonb) as g (repository_id bigint, role text)
    on conflict (repository_id, user_id) do update set role =
      case when role_level(excluded.role) > role_level(c.role) then excluded.role else c.role end
    returning c.repository_id, c.role`.execute(tx);
  return rows;
}

/** Removes a user's direct role; false if the user has no direct role. */
export const removeCollaborator = async (tx: Tx, repository: RepositoryId, user: User): Promise<boolean> =>
  (await tx.deleteFrom('collaborators').where('repository_id', '=', repository).where('user_id', '=', user).executeTakeFirst())
    .numDeletedRows > 0n;

/** Removes a user's direct roles in an organization's repositories. Returns those repositories. */
export async function removeDirectRoles(tx: Tx, organization: Organization, user: User): Promise<RepositoryId[]> {
  const { rows } = await sql<{ repository_id: RepositoryId }>`
    delete from collaborators c using repositories r
    where r.id = c.repository_id and r.owner_id = ${organization} and c.user_id = ${user}
    returning c.repository_id`.execute(tx);
  return rows.map((row) => row.repository_id);
}

type NewInvitation = Pick<InvitationRow, 'repository_id' | 'invitee_id' | 'inviter_id' | 'role' | 'created_at'>;

/** Inserts an invitation, or renews the invitee's existing one. */
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

/** Removes an invitation; false if another request has already removed it. */
export const removeInvitation = async (tx: Tx, id: InvitationId): Promise<boolean> =>
  (await tx.deleteFrom('repository_invitations').where('id', '=', id).executeTakeFirst()).numDeletedRows > 0n;

/** Removes the invitations to a repository that a user has sent. Returns the invitees. */
export async function removeInvitationsBy(tx: Tx, repository: RepositoryId, inviter: User): Promise<User[]> {
  const rows = await tx
    .deleteFrom('repository_invitations')
    .where('repository_id', '=', repository)
    .where('inviter_id', '=', inviter)
    .returning('invitee_id')
    .execute();
  return rows.map((row) => row.invitee_id);
}

type Withdrawn = { repository_id: RepositoryId; invitee_id: User };

/** Removes the invitations to an organization's repositories to and from a user. */
export async function removeRepositoryInvitations(tx: Tx, organization: Organization, user: User): Promise<Withdrawn[]> {
  const { rows } = await sql<Withdrawn>`
    delete from repository_invitations i using repositories r
    where r.id = i.repository_id and r.owner_id = ${organization} and ${user} in (i.invitee_id, i.inviter_id)
    returning i.repository_id, i.invitee_id`.execute(tx);
  return rows;
}

/** Removes all direct roles in an organization's repositories, and the invitations to them. */
export const removeAllDirectRoles = (tx: Tx, organization: Organization) =>
  sql`
    with roles as (
      delete from collaborators c using repositories r where r.id = c.repository_id and r.owner_id = ${organization}
    )
    delete from repository_invitations i using repositories r
    where r.id = i.repository_id and r.owner_id = ${organization}`.execute(tx);
