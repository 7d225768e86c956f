import type { ActionContext, RepositoryAction } from '#access/action.ts';
import type { Role } from '#access/roles.ts';
import type { RepositoryRow } from '#access/viewer.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { inRepository } from '#events/scope.ts';
import { firstOrNotFound, notFound } from '#lib/refusal.ts';
import { addDays } from '#lib/time.ts';
import { type InvitationRow, raiseCollaborator, removeInvitation, updateInvitation } from '#resources/identity/members/index.ts';
import { loadInvitedRepositories } from './invitation-store.ts';
import { checkRole } from './rules.ts';

/** An invitation expires after a week, as in the public API. Inviting again renews it. */
const daysToAccept = 7;

export const isExpired = (invitation: InvitationRow, now: Date): boolean => addDays(invitation.created_at, daysToAccept) <= now;

/** Changes the role that an invitation offers. */
export async function changeInvitation(
  scope: WriteScope,
  action: RepositoryAction,
  invitation: InvitationRow,
  role: Role | undefined,
): Promise<InvitationRow> {
  if (role === undefined || role === invitation.role) return invitation;
  checkRole(action.repo, role, 'permissions');
  const changed = await updateInvitation(scope.tx, invitation.id, { role });
  const data = { user: invitation.invitee_id, role };
  await record(scope.tx, { ...inRepository(action), kind: 'collaborator.invitation_changed', data });
  return changed;
}

/** Withdraws an invitation. */
export async function cancelInvitation(
  scope: WriteScope,
  action: RepositoryAction,
  { id, invitee_id: user }: InvitationRow,
): Promise<void> {
  await removeInvitation(scope.tx, id);
  await record(scope.tx, { ...inRepository(action), kind: 'collaborator.invitation_canceled', data: { user } });
}

/** Removes the caller's own invitation. Returns its repository. */
async function consumeInvitation(scope: WriteScope, { id, repository_id }: InvitationRow): Promise<RepositoryRow> {
  await removeInvitation(scope.tx, id);
  return firstOrNotFound(await loadInvitedRepositories(scope.tx, [repository_id]));
}

const ownEvent = ({ id, owner_id: owner }: RepositoryRow, { by, now }: ActionContext) =>
  ({ owner, repository: id, actor: by.account.id, at: now }) as const;

/** Accepts the caller's own invitation: the caller gets the offered role. Expired invitations aren't found. */
export async function acceptInvitation(scope: WriteScope, action: ActionContext, invitation: InvitationRow): Promise<void> {
  if (isExpired(invitation, action.now)) throw notFound();
  const repository = await consumeInvitation(scope, invitation);
  const user = action.by.account.id;
  const offered = [{ repository_id: repository.id, role: invitation.role }];
  const [held] = await raiseCollaborator(scope.tx, user, offered, action.now);
  const data = { user, role: held?.role ?? invitation.role };
  await record(scope.tx, { ...ownEvent(repository, action), kind: 'collaborator.added', data });
}

/** Declines the caller's own invitation. */
export async function declineInvitation(scope: WriteScope, action: ActionContext, invitation: InvitationRow): Promise<void> {
  const repository = await consumeInvitation(scope, invitation);
  await record(scope.tx, {
    ...ownEvent(repository, action),
    kind: 'collaborator.invitation_declined',
    data: { user: action.by.account.id },
  });
}
