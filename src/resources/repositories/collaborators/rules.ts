import type { RepositoryAction } from '#access/action.ts';
import { findOrg } from '#access/lookup.ts';
import { type Role, roleLevel, roleOfLevel } from '#access/roles.ts';
import type { Account, Repo, SignedIn } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record, recordEach } from '#events/record.ts';
import { inOrganization, inRepository } from '#events/scope.ts';
import { forbidden, invalid, notFound, unprocessable } from '#lib/refusal.ts';
import {
  endMembership,
  findMembership,
  findMembershipForUpdate,
  type InvitationRow,
  lockOrganization,
  type MemberAction,
  putCollaborator,
  putInvitation,
  raiseCollaborator,
  removeCollaborator,
  removeInvitation,
  removeInvitationsBy,
  seesConcealed,
  withdrawRoles,
} from '#resources/identity/members/index.ts';
import { listRolesByTeams, type TeamVisibility, teamVisibility } from '#resources/identity/teams/index.ts';
import { checkMemberPrivilege } from '#resources/repositories/repositories/index.ts';
import { findInvitationOf } from './invitation-store.ts';
import { findCollaborator, findRoleLevel, type RoleVisibility } from './store.ts';

/** The roles in a repository that a viewer may see: all, or only the roles without concealed members and teams. */
export async function collaboratorVisibility(db: Db, repo: Repo, viewer: SignedIn): Promise<RoleVisibility> {
  if (repo.owner.kind !== 'organization') return 'everybody';
  const org = await findOrg(db, viewer, repo.owner.login);
  return org && seesConcealed(org, viewer, 'metadata:read') ? 'everybody' : 'outsider';
}

/** The teams of a repository's organization that a viewer may see. */
export async function repositoryTeamVisibility(db: Db, repo: Repo, viewer: SignedIn): Promise<TeamVisibility> {
  if (repo.owner.kind !== 'organization') return 'none';
  const org = await findOrg(db, viewer, repo.owner.login);
  return org ? teamVisibility(org, viewer) : 'none';
}

/** A user's role in a repository from all sources, including the access that its visibility gives to all users. */
export async function effectiveRole(db: Db, repo: Repo, user: Account, visibility: RoleVisibility): Promise<Role | undefined> {
  const publicLevel = repo.visibility === 'private' ? 0 : 1;
  return roleOfLevel(Math.max(publicLevel, await findRoleLevel(db, repo, user.id, visibility)));
}

type CollaboratorAction = RepositoryAction & { user: Account };

/** In a user's own repository, every collaborator has the role write; other roles are for organizations, as in the public API. */
export function checkRole(repo: Repo, role: Role, field: string): void {
  if (repo.owner.kind !== 'organization' && role !== 'write')
    throw invalid('Repository', field, 'invalid', 'Roles other than write are for repositories of organizations');
}

/**
 * Gives a user a direct role. Members of the organization, and users with a direct role already, get it immediately. All others
 * are invited, and the invitation is returned.
 */
export async function addCollaborator(
  scope: WriteScope,
  action: CollaboratorAction,
  wanted: Role | undefined,
): Promise<InvitationRow | undefined> {
  const { repo, user, now } = action;
  if (user.kind !== 'user') throw notFound();
  if (user.id === repo.owner_id)
    throw invalid('Repository', 'username', 'invalid', 'The owner of a repository is not its collaborator');
  const known = await findCollaborator(scope.tx, repo.id, user.id);
  const role = wanted ?? known?.role ?? 'write';
  if (wanted !== undefined) checkRole(repo, role, 'permission');
  const isMember = await findMembershipForUpdate(scope.tx, repo.owner_id, user.id);
  if (known === undefined && !isMember) return invite(scope, action, role);
  if (known?.role === role) return undefined;
  await putCollaborator(scope.tx, { repository_id: repo.id, user_id: user.id, role, created_at: now });
  const pending = await findInvitationOf(scope.tx, repo.id, user.id);
  if (pending) await removeInvitation(scope.tx, pending.id);
  const event = inRepository(action);
  if (known) await record(scope.tx, { ...event, kind: 'collaborator.changed', data: { user: user.id, role, from: known.role } });
  else await record(scope.tx, { ...event, kind: 'collaborator.added', data: { user: user.id, role } });
  return undefined;
}

async function invite(scope: WriteScope, action: CollaboratorAction, role: Role): Promise<InvitationRow> {
  const { repo, user, by, now } = action;
  await checkMemberPrivilege(scope, 'members_can_invite_outside_collaborators', action);
  const known = await findInvitationOf(scope.tx, repo.id, user.id);
  const inviter_id = by.account.id;
  const invitation = await putInvitation(scope.tx, {
    repository_id: repo.id,
    invitee_id: user.id,
    inviter_id,
    role,
    created_at: now,
  });
  const kind = known ? 'collaborator.invitation_changed' : 'collaborator.invited';
  await record(scope.tx, { ...inRepository(action), kind, data: { user: user.id, role } });
  return invitation;
}

/** Removes a user's direct role, and the invitations to and from that user. Users may remove their own role. */
export async function deleteCollaborator(scope: WriteScope, action: CollaboratorAction): Promise<void> {
  const { repo, user, by } = action;
  const isAllowed = user.id === by.account.id || by.grant.kind === 'installation' || roleLevel(repo.role) >= roleLevel('admin');
  if (!isAllowed) throw forbidden('You must have admin rights to the repository to remove a collaborator.');
  if (user.id === repo.owner_id) throw invalid('Repository', 'username', 'invalid', 'The owner of a repository stays');
  const invitation = await findInvitationOf(scope.tx, repo.id, user.id);
  if (invitation && (await removeInvitation(scope.tx, invitation.id)))
    await record(scope.tx, { ...inRepository(action), kind: 'collaborator.invitation_canceled', data: { user: user.id } });
  if (!(await removeCollaborator(scope.tx, repo.id, user.id))) return;
  await record(scope.tx, { ...inRepository(action), kind: 'collaborator.removed', data: { user: user.id } });
  const withdrawn = await removeInvitationsBy(scope.tx, repo.id, user.id);
  const event = inRepository(action);
  await recordEach(scope.tx, withdrawn, (invitee) => ({
    ...event,
    kind: 'collaborator.invitation_canceled',
    data: { user: invitee },
  }));
}

/** Makes a member an outside collaborator. They keep their direct roles, and their roles through teams become direct ones. */
export async function convertToOutside(scope: WriteScope, action: MemberAction): Promise<void> {
  const { org, user, now } = action;
  await lockOrganization(scope.tx, org.id);
  const membership = await findMembership(scope.tx, org.id, user.id);
  if (membership?.state !== 'active') throw forbidden(`${user.login} is not a member of this organization.`);
  const byTeams = await listRolesByTeams(scope.tx, org.id, user.id);
  await endMembership(scope, action);
  const roles = await raiseCollaborator(scope.tx, user.id, byTeams, now);
  const event = inOrganization(action);
  await record(scope.tx, { ...event, kind: 'member.removed', data: { user: user.id } });
  await recordEach(scope.tx, roles, ({ repository_id: repository, role }) => ({
    ...event,
    repository,
    kind: 'collaborator.added',
    data: { user: user.id, role },
  }));
}

/** Removes an outside collaborator from all repositories of an organization. */
export async function removeOutside(scope: WriteScope, action: MemberAction): Promise<void> {
  const { org, user } = action;
  if (user.kind !== 'user') throw notFound();
  await lockOrganization(scope.tx, org.id);
  const membership = await findMembership(scope.tx, org.id, user.id);
  if (membership?.state === 'active')
    throw unprocessable('A member of the organization cannot be removed as an outside collaborator.');
  await withdrawRoles(scope, action);
}
