import type { OrganizationAction } from '#access/action.ts';
import { countUse } from '#access/rate-limits.ts';
import type { OrgRole } from '#access/roles.ts';
import type { Tx } from '#database/connect.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { inOrganization } from '#events/scope.ts';
import type { Id } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import { orNotFound, Refusal } from '#lib/refusal.ts';
import { snapshotOf } from '#lib/snapshot.ts';
import { addDays } from '#lib/time.ts';
import {
  findInvitationTo,
  findOrganizationInvitationForUpdate,
  type Invitee,
  insertInvitation,
  type OrganizationInvitationRow,
  removeOrganizationInvitation,
  updateOrganizationInvitation,
} from './invitation-store.ts';
import { memberLimits } from './limits.ts';
import { lockOrganization } from './store.ts';

/** How long an invitation can be accepted (the public API's rule). */
const daysToAccept = 7;

/** The failure reason of an invitation that nobody accepted in time. */
export const expiredReason = `Nobody accepted the invitation within ${daysToAccept} days.`;

/** Invitations from before this time have expired. */
export const expiryBefore = (now: Date): Date => addDays(now, -daysToAccept);

export const isExpired = (createdAt: Date, now: Date): boolean => createdAt <= expiryBefore(now);

const secondsOfDay = 86_400;
const maxInvitations = fixedValue(memberLimits.invitations);

/** The invitee, and the offered role. */
type Wanted = { readonly to: Invitee; readonly role: OrgRole };

/**
 * Invites somebody who is neither a member nor invited. The organization is locked. A failed invitation of the same invitee is
 * replaced.
 */
export async function invite(
  scope: WriteScope,
  action: OrganizationAction,
  { to, role }: Wanted,
): Promise<OrganizationInvitationRow> {
  const { org, by, now } = action;
  await checkNumber(scope, org.id);
  const failed = await findInvitationTo(scope.tx, org.id, to);
  if (failed) await removeOrganizationInvitation(scope.tx, failed.id);
  const invitation = await insertInvitation(scope.tx, {
    organization_id: org.id,
    ...('user' in to ? { invitee_id: to.user } : { email: to.email }),
    role,
    inviter_id: by.account.id,
    created_at: now,
  });
  await recordInvited(scope, action, invitation);
  return invitation;
}

async function checkNumber(scope: WriteScope, organization: Id<'accounts'>): Promise<void> {
  const use = { key: `invitations-into:${organization}`, bucket: 'invitations', window: secondsOfDay };
  const { used, wait } = await countUse(scope.tx, use);
  if (used <= maxInvitations) return;
  const message = `At most ${maxInvitations} people may be invited into an organization in a day (accounts.invitations).`;
  throw new Refusal('too_many', message, [], { limit: 'accounts.invitations', retryAfter: wait });
}

const recordInvited = (scope: WriteScope, action: OrganizationAction, invitation: OrganizationInvitationRow): Promise<void> =>
  record(scope.tx, { ...inOrganization(action), kind: 'member.invited', data: { invitation: snapshotOf(invitation) } });

/** Changes the role of an account's invitation. The organization is locked. */
export async function changeInvitedRole(
  scope: WriteScope,
  action: OrganizationAction & { user: { id: Id<'accounts'> } },
  role: OrgRole,
): Promise<void> {
  const known = orNotFound(await findInvitationTo(scope.tx, action.org.id, { user: action.user.id }));
  await recordInvited(scope, action, await updateOrganizationInvitation(scope.tx, known.id, { role }));
}

/** Reads the invitation again, and locks its row and its organization; undefined if it was accepted or withdrawn. */
export async function lockInvitation(
  tx: Tx,
  invitation: Pick<OrganizationInvitationRow, 'id' | 'organization_id'>,
): Promise<OrganizationInvitationRow | undefined> {
  await lockOrganization(tx, invitation.organization_id);
  return findOrganizationInvitationForUpdate(tx, invitation);
}

/** Withdraws an invitation, including its teams; or removes a failed one. */
export async function cancelInvitation(
  scope: WriteScope,
  action: OrganizationAction,
  { id }: OrganizationInvitationRow,
): Promise<void> {
  await removeOrganizationInvitation(scope.tx, id);
  await record(scope.tx, { ...inOrganization(action), kind: 'member.invitation_canceled', data: { invitation: id } });
}
