import type { OrganizationAction } from '#access/action.ts';
import { authorize } from '#access/authorize.ts';
import type { Permission } from '#access/permissions.ts';
import type { OrgRole } from '#access/roles.ts';
import type { Account, Org, Viewer } from '#access/viewer.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record, recordAll, recordEach } from '#events/record.ts';
import { inOrganization } from '#events/scope.ts';
import { forbidden, notFound, orNotFound } from '#lib/refusal.ts';
import { removeDirectRoles, removeRepositoryInvitations } from './collaborator-store.ts';
import { findInvitationTo, listInvitationsOf } from './invitation-store.ts';
import { cancelInvitation, changeInvitedRole, invite, isExpired } from './invitations.ts';
import {
  findMembership,
  findOwnMembership,
  hasOtherOwner,
  lockOrganization,
  type Membership,
  putMembership,
  removeMembership,
  updateMembership,
} from './store.ts';
import { acceptInvitations, removeFromTeams } from './team-member-store.ts';

/**
 * Whether a viewer may see concealed memberships. Members may, with a credential that may read members. `permission` is the
 * permission that fine-grained credentials need.
 */
export const seesConcealed = (org: Org, viewer: Viewer, permission: Permission = 'members:read'): boolean =>
  authorize({ permission, scopes: ['read:org'], role: 'member' }, viewer, { org }, { write: false }).allowed;

/** A change of a user's membership. */
export type MemberAction = OrganizationAction & { user: Account };

/** Invites a user to an organization, or changes the role of a member or of an invitation. */
export async function setMembership(scope: WriteScope, action: MemberAction & { role: OrgRole }): Promise<Membership> {
  const { org, user, role } = action;
  if (user.kind !== 'user') throw notFound();
  await lockOrganization(scope.tx, org.id);
  const known = await findMembership(scope.tx, org.id, user.id);
  if (known?.role === role) return known;
  if (known === undefined) await invite(scope, action, { to: { user: user.id }, role });
  else if (known.state === 'pending') await changeInvitedRole(scope, action, role);
  else {
    if (role === 'member') await checkMayDemote(scope, action);
    await updateMembership(scope.tx, org.id, user.id, { role });
    await record(scope.tx, { ...inOrganization(action), kind: 'member.changed', data: { user: user.id, role } });
  }
  return getMembership(scope, action);
}

async function checkMayDemote(scope: WriteScope, { org, user, by }: MemberAction): Promise<void> {
  if (user.id === by.account.id) throw forbidden('Owners are demoted by another owner, not by themselves.');
  if (!(await hasOtherOwner(scope.tx, org.id, user.id))) throw forbidden('An organization keeps at least one owner.');
}

const getMembership = async (scope: WriteScope, { org, user }: Pick<MemberAction, 'org' | 'user'>): Promise<Membership> =>
  orNotFound(await findMembership(scope.tx, org.id, user.id));

/** Accepts the caller's own invitation, including its teams. */
export async function acceptMembership(scope: WriteScope, action: MemberAction): Promise<Membership> {
  const { org, user, now } = action;
  await lockOrganization(scope.tx, org.id);
  const membership = orNotFound(await findOwnMembership(scope.tx, org.id, user.id));
  if (membership.state === 'active') return membership;
  const [invitation] = (await listInvitationsOf(scope.tx, org.id, user.id)).filter(
    ({ created_at }) => !isExpired(created_at, now),
  );
  const { role } = orNotFound(invitation);
  const event = inOrganization(action);
  const added = await addMember(scope, { organization: org.id, user: user.id, role, now });
  await record(scope.tx, { ...event, kind: 'member.added', data: { user: user.id, role } });
  await recordEach(scope.tx, added, (data) => ({ ...event, kind: 'team.member_added', data: { ...data, user: user.id } }));
  return getMembership(scope, action);
}

type NewMember = { organization: Account['id']; user: Account['id']; role: OrgRole; now: Date };

/**
 * Makes a user a member, or changes their role. Their invitations end, and they join the teams of these invitations. Returns
 * these teams.
 */
export async function addMember(scope: WriteScope, { organization, user, role, now }: NewMember) {
  await putMembership(scope.tx, { organization_id: organization, user_id: user, role, created_at: now });
  return acceptInvitations(scope.tx, { organization, user, now });
}

/**
 * Removes a member with all access to the organization's repositories, or withdraws an invitation. Owners may remove others. All
 * members may leave, except the last owner.
 */
export async function removeMember(scope: WriteScope, action: MemberAction): Promise<void> {
  const { org, user, by } = action;
  const isAllowed = user.id === by.account.id || org.role === 'owner' || by.grant.kind === 'installation';
  if (!isAllowed) throw forbidden('You must be an organization owner to remove a member.');
  await lockOrganization(scope.tx, org.id);
  if ((await getMembership(scope, action)).state === 'pending') {
    await cancelInvitation(scope, action, orNotFound(await findInvitationTo(scope.tx, org.id, { user: user.id })));
    return;
  }
  const { role } = await endMembership(scope, action);
  await withdrawRoles(scope, action);
  await record(scope.tx, { ...inOrganization(action), kind: 'member.removed', data: { user: user.id, role } });
}

/** Ends the membership of a member and removes the user from the organization's teams. Direct roles stay; see `withdrawRoles`. */
export async function endMembership(scope: WriteScope, action: MemberAction): Promise<Membership> {
  const { org, user, now } = action;
  await lockOrganization(scope.tx, org.id);
  const membership = await getMembership(scope, action);
  if (membership.role === 'owner' && !(await hasOtherOwner(scope.tx, org.id, user.id)))
    throw forbidden('The last owner cannot leave the organization.');
  await removeMembership(scope.tx, org.id, user.id, now);
  const teams = await removeFromTeams(scope.tx, org.id, user.id);
  const event = inOrganization(action);
  await recordEach(scope.tx, teams, (team) => ({ ...event, kind: 'team.member_removed', data: { team, user: user.id } }));
  return membership;
}

/** Removes a user's direct roles in an organization's repositories, and the invitations to and from that user. */
export async function withdrawRoles(scope: WriteScope, action: MemberAction): Promise<void> {
  const { org, user } = action;
  const event = inOrganization(action);
  const removed = await removeDirectRoles(scope.tx, org.id, user.id);
  const withdrawn = await removeRepositoryInvitations(scope.tx, org.id, user.id);
  await recordAll(scope.tx, [
    ...removed.map((repository) => ({ ...event, repository, kind: 'collaborator.removed' as const, data: { user: user.id } })),
    ...withdrawn.map(({ repository_id: repository, invitee_id }) => ({
      ...event,
      repository,
      kind: 'collaborator.invitation_canceled' as const,
      data: { user: invitee_id },
    })),
  ]);
}

/** Makes the caller's own membership public or concealed. */
export async function changeMembershipVisibility(
  scope: WriteScope,
  action: MemberAction & { as: 'public' | 'concealed' },
): Promise<void> {
  const { org, user, by, as } = action;
  if (user.id !== by.account.id) throw forbidden('A membership is shown or concealed by the member alone.');
  await lockOrganization(scope.tx, org.id);
  const membership = await getMembership(scope, action);
  const isPublic = as === 'public';
  if (membership.public === isPublic) return;
  await updateMembership(scope.tx, org.id, user.id, { public: isPublic });
  await record(scope.tx, {
    ...inOrganization(action),
    kind: isPublic ? 'member.publicized' : 'member.concealed',
    data: { user: user.id },
  });
}
