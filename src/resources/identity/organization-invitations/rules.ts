import type { OrganizationAction } from '#access/action.ts';
import type { OrgRole } from '#access/roles.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { recordEach } from '#events/record.ts';
import { inOrganization } from '#events/scope.ts';
import { unique } from '#lib/collections.ts';
import { isEmailAddress } from '#lib/email.ts';
import { asId, type Id } from '#lib/id.ts';
import { type FieldCode, invalid, type Refusal } from '#lib/refusal.ts';
import { findAccountById } from '#resources/identity/accounts/index.ts';
import {
  type CountedInvitation,
  findFormerRole,
  findInvitationTo,
  findMembership,
  type Invitee,
  insertTeamInvitations,
  invite,
  lockOrganization,
} from '#resources/identity/members/index.ts';
import { loadTeams } from '#resources/identity/teams/index.ts';
import type { NewInvitation } from './schemas.ts';

const refused = (field: keyof NewInvitation, code: FieldCode, message: string): Refusal =>
  invalid('OrganizationInvitation', field, code, message);

/** Invites an account or an e-mail address to an organization, and to some of its teams. */
export async function createInvitation(
  scope: WriteScope,
  action: OrganizationAction,
  wanted: NewInvitation,
): Promise<CountedInvitation> {
  const { org, now } = action;
  await lockOrganization(scope.tx, org.id);
  const to = await inviteeOf(scope, wanted);
  await checkInvitee(scope, action, to);
  const role = await roleFor(scope, action, to, wanted.role);
  const teams = await findTeams(scope, action, wanted.team_ids ?? []);
  const invitation = await invite(scope, action, { to, role });
  if (teams.length > 0) {
    const memberships = teams.map((team_id) => ({
      team_id,
      invitation_id: invitation.id,
      role: 'member' as const,
      created_at: now,
    }));
    await insertTeamInvitations(scope.tx, memberships);
    const user = 'user' in to ? to : {};
    const event = { ...inOrganization(action), kind: 'team.member_invited' as const };
    await recordEach(scope.tx, teams, (team) => ({ ...event, data: { team, ...user, role: 'member' } }));
  }
  return { ...invitation, teams: teams.length };
}

async function inviteeOf(scope: WriteScope, { invitee_id, email }: NewInvitation): Promise<Invitee> {
  if (invitee_id !== undefined && email !== undefined)
    throw refused('email', 'invalid', 'Only one of invitee_id and email may be given');
  if (email !== undefined) {
    if (!isEmailAddress(email)) throw refused('email', 'invalid', 'email is not an e-mail address');
    return { email };
  }
  if (invitee_id === undefined) throw refused('invitee_id', 'missing_field', 'invitee_id or email must be given');
  const user = await findAccountById(scope.tx, asId<'accounts'>(invitee_id));
  if (user?.kind !== 'user') throw refused('invitee_id', 'invalid', 'invitee_id is not the id of a user');
  return { user: user.id };
}

/**
 * Refuses users who are already members or invited. An address that belongs to a member isn't refused, since that would disclose
 * its owner (decision 27). For a member, the invitation has no effect.
 */
async function checkInvitee(scope: WriteScope, { org }: OrganizationAction, to: Invitee): Promise<void> {
  const field = 'user' in to ? 'invitee_id' : 'email';
  const member = 'user' in to ? await findMembership(scope.tx, org.id, to.user) : undefined;
  if (member?.state === 'active') throw refused(field, 'unprocessable', 'Invitee is already a part of this organization');
  const known = await findInvitationTo(scope.tx, org.id, to);
  if (known?.failed_at === null) throw refused(field, 'already_exists', 'Invitee is already invited into this organization');
}

async function roleFor(
  scope: WriteScope,
  { org }: OrganizationAction,
  to: Invitee,
  wanted: NewInvitation['role'],
): Promise<OrgRole> {
  switch (wanted) {
    case 'admin':
      return 'owner';
    case 'direct_member':
      return 'member';
    case 'billing_manager':
      throw refused('role', 'unprocessable', 'This server has no billing managers');
    case 'reinstate': {
      // The owner of an address isn't disclosed.
      const former = 'user' in to ? await findFormerRole(scope.tx, org.id, to.user) : undefined;
      if (!former) throw refused('role', 'unprocessable', 'Only former members, named by invitee_id, can be reinstated');
      return former;
    }
  }
}

async function findTeams(scope: WriteScope, { org }: OrganizationAction, ids: readonly number[]): Promise<Id<'teams'>[]> {
  const wanted = unique(ids.map((id) => asId<'teams'>(id)));
  const found = await loadTeams(scope.tx, wanted);
  const missing = wanted.find((id) => found.get(id)?.organization_id !== org.id);
  if (missing !== undefined) throw refused('team_ids', 'invalid', `${missing} is not a team of this organization`);
  return wanted;
}
