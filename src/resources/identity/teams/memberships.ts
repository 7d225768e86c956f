import type { OrganizationAction } from '#access/action.ts';
import type { Account } from '#access/viewer.ts';
import type { Db, Tx } from '#database/connect.ts';
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

/** A change of who is in a team. The team is locked. */
type TeamMemberAction = OrganizationAction & { user: Account };

/** What a user is in a team. Those who are only invited are shown to who may invite. @throws Refusal 404 */
export async function getTeamMembership(db: Db, action: TeamMemberAction, team: TeamRow): Promise<TeamMembership> {
  const found = orNotFound(await findTeamMembership(db, team, action.user.id));
  if (found.state === 'pending' && !(await maintains(db, action, team))) throw notFound();
  return found;
}

/**
 * Adds a user to a team, or changes their role in it. Who isn't a member of the organization is invited, by its owners alone, and comes
 * into the team by accepting that.
 */
export async function setTeamMembership(
  tx: Tx,
  action: TeamMemberAction,
  team: TeamRow,
  role: TeamMemberRole,
): Promise<TeamMembership> {
  const { org, user, by, now } = action;
  await checkMaintains(tx, action, team);
  if (user.kind !== 'user') throw invalid('TeamMember', 'username', 'invalid', `${user.login} is not a person`);
  const membership = await findMembership(tx, org.id, user.id);
  if (membership?.state === 'active') {
    await setTeamMember(tx, { team, user, role, by: by.account.id, now });
    return { role: membership.role === 'owner' ? 'maintainer' : role, state: 'active' };
  }
  if (!managesAll(action)) throw forbidden(`Only owners of this organization may invite ${user.login} into it.`);
  const { id } = membership
    ? orNotFound(await findInvitationTo(tx, org.id, { user: user.id }))
    : await invite(tx, action, { to: { user: user.id }, role: 'member' });
  const put = await putTeamInvitation(tx, { team_id: team.id, invitation_id: id, role, created_at: now });
  const data = { team: team.id, user: user.id, role };
  if (put !== 'same') await record(tx, { ...inOrganization(action), kind: 'team.member_invited', data });
  return { role, state: 'pending' };
}

/** Adds a member of the organization to a team; somebody who is in it keeps their role. */
export async function addTeamMember(tx: Tx, action: TeamMemberAction, team: TeamRow): Promise<void> {
  const { user, by, now } = action;
  await checkMaintains(tx, action, team);
  if ((await findTeamRoleOf(tx, team.id, user.id)) === 'maintainer') return;
  await setTeamMember(tx, { team, user, role: 'member', by: by.account.id, now });
}

/** Removes a user from a team, or takes their invitation back. Users may leave by themselves. */
export async function endTeamMembership(tx: Tx, action: TeamMemberAction, team: TeamRow): Promise<void> {
  const { user, by } = action;
  if (user.id !== by.account.id) await checkMaintains(tx, action, team);
  const event = { ...inOrganization(action), data: { team: team.id, user: user.id } };
  if (await removeTeamMember(tx, team.id, user.id)) await record(tx, { ...event, kind: 'team.member_removed' });
  else if (await removeTeamInvitation(tx, team.id, user.id))
    await record(tx, { ...event, kind: 'team.member_invitation_canceled' });
  else throw notFound();
}
