import type { OrganizationAction } from '#access/action.ts';
import type { Account } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { inOrganization } from '#events/scope.ts';
import { forbidden, invalid, notFound, orNotFound } from '#lib/refusal.ts';
import {
  findInvitationTo,
  findMembership,
  invite,
  putTeamInvitation,
  removeTeamInvitation,
  removeTeamMember,
  type TeamMemberRole,
} from '#resources/identity/members/index.ts';
import { checkMaintains, maintains, managesAll } from './managing.ts';
import { setTeamMember } from './rules.ts';
import { findTeamMembership, findTeamRoleOf, type TeamMembership, type TeamRow } from './store.ts';

/** A change of a team's members. The team is locked. */
type TeamMemberAction = OrganizationAction & { user: Account };

/** A user's membership in a team. Invitations are shown only to people who may invite. @throws Refusal 404 */
export async function getTeamMembership(db: Db, action: TeamMemberAction, team: TeamRow): Promise<TeamMembership> {
  const found = orNotFound(await findTeamMembership(db, team, action.user.id));
  if (found.state === 'pending' && !(await maintains(db, action, team))) throw notFound();
  return found;
}

/**
 * Adds a user to a team, or changes their role in it. A user who isn't a member of the organization is invited, which only owners
 * can do, and joins the team by accepting.
 */
export async function setTeamMembership(
  scope: WriteScope,
  action: TeamMemberAction,
  team: TeamRow,
  role: TeamMemberRole,
): Promise<TeamMembership> {
  const { org, user, by, now } = action;
  await checkMaintains(scope, action, team);
  if (user.kind !== 'user') throw invalid('TeamMember', 'username', 'invalid', `${user.login} is not a person`);
  const membership = await findMembership(scope.tx, org.id, user.id);
  if (membership?.state === 'active') {
    await setTeamMember(scope, { team, user, role, by: by.account.id, now });
    return { role: membership.role === 'owner' ? 'maintainer' : role, state: 'active' };
  }
  if (!managesAll(action)) throw forbidden(`Only owners of this organization may invite ${user.login} into it.`);
  const { id } = membership
    ? orNotFound(await findInvitationTo(scope.tx, org.id, { user: user.id }))
    : await invite(scope, action, { to: { user: user.id }, role: 'member' });
  const put = await putTeamInvitation(scope.tx, { team_id: team.id, invitation_id: id, role, created_at: now });
  const data = { team: team.id, user: user.id, role };
  if (put !== 'same') await record(scope.tx, { ...inOrganization(action), kind: 'team.member_invited', data });
  return { role, state: 'pending' };
}

/** Adds a member of the organization to a team. Existing members keep their role. */
export async function addTeamMember(scope: WriteScope, action: TeamMemberAction, team: TeamRow): Promise<void> {
  const { user, by, now } = action;
  await checkMaintains(scope, action, team);
  if ((await findTeamRoleOf(scope.tx, team.id, user.id)) === 'maintainer') return;
  await setTeamMember(scope, { team, user, role: 'member', by: by.account.id, now });
}

/** Removes a user from a team, or withdraws their invitation. Users may leave by themselves. */
export async function endTeamMembership(scope: WriteScope, action: TeamMemberAction, team: TeamRow): Promise<void> {
  const { user, by } = action;
  if (user.id !== by.account.id) await checkMaintains(scope, action, team);
  const event = { ...inOrganization(action), data: { team: team.id, user: user.id } };
  if (await removeTeamMember(scope.tx, team.id, user.id)) await record(scope.tx, { ...event, kind: 'team.member_removed' });
  else if (await removeTeamInvitation(scope.tx, team.id, user.id))
    await record(scope.tx, { ...event, kind: 'team.member_invitation_canceled' });
  else throw notFound();
}
