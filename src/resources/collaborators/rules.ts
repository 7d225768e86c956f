import type { RepositoryAction } from '#access/action.ts';
import { findOrg } from '#access/lookup.ts';
import { type Role, roleLevel, roleOfLevel } from '#access/roles.ts';
import type { Account, Repo, SignedIn } from '#access/viewer.ts';
import type { Db, Tx } from '#database/connect.ts';
import { record, recordEach } from '#events/record.ts';
import { inOrganization, inRepository } from '#events/scope.ts';
import { forbidden, invalid, notFound, unprocessable } from '#lib/refusal.ts';
import {
  endMembership,
  findMembership,
  findMembershipForUpdate,
  type InvitationRow,
  lockMemberships,
  type OfMember,
  putCollaborator,
  putInvitation,
  raiseCollaborator,
  removeCollaborator,
  removeInvitation,
  removeInvitationsBy,
  seesConcealed,
  withdrawRoles,
} from '#resources/members/index.ts';
import { checkMembersMay } from '#resources/repositories/index.ts';
import { listRolesByTeams, type TeamSight, teamSight } from '#resources/teams/index.ts';
import { findInvitationOf } from './invitation-store.ts';
import { findCollaborator, findRoleLevel, type Sight } from './store.ts';

/** Whether a viewer of a repository may learn of all people with a role in it, concealed members and teams included. */
export async function collaboratorSight(db: Db, repo: Repo, viewer: SignedIn): Promise<Sight> {
  if (repo.owner.kind !== 'organization') return 'everybody';
  const org = await findOrg(db, viewer, repo.owner.login);
  return org && seesConcealed(org, viewer, 'metadata:read') ? 'everybody' : 'outsider';
}

/** Which teams of a repository's organization a viewer may know of. */
export async function repositoryTeamSight(db: Db, repo: Repo, viewer: SignedIn): Promise<TeamSight> {
  if (repo.owner.kind !== 'organization') return 'none';
  const org = await findOrg(db, viewer, repo.owner.login);
  return org ? teamSight(org, viewer) : 'none';
}

/** Somebody's role in a repository from every source, what its visibility gives to everybody included. */
export async function effectiveRole(db: Db, repo: Repo, user: Account, sight: Sight): Promise<Role | undefined> {
  const open = repo.visibility === 'private' ? 0 : 1;
  return roleOfLevel(Math.max(open, await findRoleLevel(db, repo, user.id, sight)));
}

type OfCollaborator = RepositoryAction & { user: Account };

/** In a person's own repository every collaborator may write; other roles are for organizations, as in the public API. */
export function checkRole(repo: Repo, role: Role, field: string): void {
  if (repo.owner.kind !== 'organization' && role !== 'write')
    throw invalid('Repository', field, 'invalid', 'Roles other than write are for repositories of organizations');
}

/**
 * Gives somebody a direct role. Members of the organization and people who have a direct role already get it at once; everybody
 * else is invited, and the invitation is returned.
 */
export async function addCollaborator(
  tx: Tx,
  action: OfCollaborator,
  wanted: Role | undefined,
): Promise<InvitationRow | undefined> {
  const { repo, user, now } = action;
  if (user.kind !== 'user') throw notFound();
  if (user.id === repo.owner_id)
    throw invalid('Repository', 'username', 'invalid', 'The owner of a repository is not its collaborator');
  const known = await findCollaborator(tx, repo.id, user.id);
  const role = wanted ?? known?.role ?? 'write';
  if (wanted !== undefined) checkRole(repo, role, 'permission');
  const inside = await findMembershipForUpdate(tx, repo.owner_id, user.id);
  if (known === undefined && !inside) return invite(tx, action, role);
  if (known?.role === role) return undefined;
  await putCollaborator(tx, { repository_id: repo.id, user_id: user.id, role, created_at: now });
  const waiting = await findInvitationOf(tx, repo.id, user.id);
  if (waiting) await removeInvitation(tx, waiting.id);
  const event = inRepository(action);
  if (known) await record(tx, { ...event, kind: 'collaborator.changed', data: { user: user.id, role, from: known.role } });
  else await record(tx, { ...event, kind: 'collaborator.added', data: { user: user.id, role } });
  return undefined;
}

async function invite(tx: Tx, action: OfCollaborator, role: Role): Promise<InvitationRow> {
  const { repo, user, by, now } = action;
  await checkMembersMay(tx, 'members_can_invite_outside_collaborators', action);
  const known = await findInvitationOf(tx, repo.id, user.id);
  const inviter_id = by.account.id;
  const invitation = await putInvitation(tx, { repository_id: repo.id, invitee_id: user.id, inviter_id, role, created_at: now });
  const kind = known ? 'collaborator.invitation_changed' : 'collaborator.invited';
  await record(tx, { ...inRepository(action), kind, data: { user: user.id, role } });
  return invitation;
}

/** Ends somebody's direct role, with the invitations to them and from them. Everybody may end their own. */
export async function dropCollaborator(tx: Tx, action: OfCollaborator): Promise<void> {
  const { repo, user, by } = action;
  const may = user.id === by.account.id || by.grant.kind === 'installation' || roleLevel(repo.role) >= roleLevel('admin');
  if (!may) throw forbidden('You must have admin rights to the repository to remove a collaborator.');
  if (user.id === repo.owner_id) throw invalid('Repository', 'username', 'invalid', 'The owner of a repository stays');
  const invitation = await findInvitationOf(tx, repo.id, user.id);
  if (invitation && (await removeInvitation(tx, invitation.id)))
    await record(tx, { ...inRepository(action), kind: 'collaborator.invitation_canceled', data: { user: user.id } });
  if (!(await removeCollaborator(tx, repo.id, user.id))) return;
  await record(tx, { ...inRepository(action), kind: 'collaborator.removed', data: { user: user.id } });
  const withdrawn = await removeInvitationsBy(tx, repo.id, user.id);
  const where = inRepository(action);
  await recordEach(tx, withdrawn, (invitee) => ({ ...where, kind: 'collaborator.invitation_canceled', data: { user: invitee } }));
}

/** Makes a member an outside collaborator, who keeps their direct roles, and as direct roles those that they had by teams. */
export async function convertToOutside(tx: Tx, action: OfMember): Promise<void> {
  const { org, user, now } = action;
  await lockMemberships(tx, org.id);
  const membership = await findMembership(tx, org.id, user.id);
  if (membership?.state !== 'active') throw forbidden(`${user.login} is not a member of this organization.`);
  const byTeams = await listRolesByTeams(tx, org.id, user.id);
  await endMembership(tx, action);
  const kept = await raiseCollaborator(tx, user.id, byTeams, now);
  const event = inOrganization(action);
  await record(tx, { ...event, kind: 'member.removed', data: { user: user.id } });
  await recordEach(tx, kept, ({ repository_id: repository, role }) => ({
    ...event,
    repository,
    kind: 'collaborator.added',
    data: { user: user.id, role },
  }));
}

/** Removes an outside collaborator from all repositories of an organization. */
export async function removeOutside(tx: Tx, action: OfMember): Promise<void> {
  const { org, user } = action;
  if (user.kind !== 'user') throw notFound();
  await lockMemberships(tx, org.id);
  const membership = await findMembership(tx, org.id, user.id);
  if (membership?.state === 'active')
    throw unprocessable('A member of the organization cannot be removed as an outside collaborator.');
  await withdrawRoles(tx, action);
}
