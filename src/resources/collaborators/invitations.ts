import type { ActionContext, RepositoryAction } from '#access/action.ts';
import type { Role } from '#access/roles.ts';
import type { Account } from '#access/viewer.ts';
import type { Tx } from '#database/connect.ts';
import { record } from '#events/record.ts';
import { inRepository } from '#events/scope.ts';
import type { Id } from '#lib/id.ts';
import { firstOrNotFound, notFound, orNotFound } from '#lib/refusal.ts';
import { addDays } from '#lib/time.ts';
import {
  findInvitation,
  findOwnInvitation,
  type InvitationRow,
  loadInvitedRepositories,
  removeInvitation,
  updateInvitation,
} from './invitation-store.ts';
import { checkRole } from './rules.ts';
import { raiseCollaborator } from './store.ts';

/** An invitation can be accepted for a week, as in the public API. To invite again renews it. */
const daysToAccept = 7;

export const isExpired = (invitation: InvitationRow, now: Date): boolean => addDays(invitation.created_at, daysToAccept) <= now;

type InvitationId = Id<'repository_invitations'>;

/** Changes the role that an invitation offers. */
export async function changeInvitation(
  tx: Tx,
  action: RepositoryAction,
  id: InvitationId,
  role: Role | undefined,
): Promise<InvitationRow> {
  const { repo } = action;
  const invitation = orNotFound(await findInvitation(tx, repo.id, id));
  if (role === undefined || role === invitation.role) return invitation;
  checkRole(repo, role, 'permissions');
  const changed = orNotFound(await updateInvitation(tx, id, { role }));
  const data = { user: invitation.invitee_id, role };
  await record(tx, { ...inRepository(action), kind: 'collaborator.invitation_changed', data });
  return changed;
}

/** Withdraws an invitation. */
export async function cancelInvitation(tx: Tx, action: RepositoryAction, id: InvitationId): Promise<void> {
  const invitation = await findInvitation(tx, action.repo.id, id);
  if (!invitation || !(await removeInvitation(tx, id))) throw notFound();
  const data = { user: invitation.invitee_id };
  await record(tx, { ...inRepository(action), kind: 'collaborator.invitation_canceled', data });
}

/** Removes the caller's own invitation. Returns it with its repository. */
async function takeInvitation(tx: Tx, { by }: ActionContext, id: InvitationId) {
  const invitation = await findOwnInvitation(tx, by, id);
  if (!invitation || !(await removeInvitation(tx, id))) throw notFound();
  return { invitation, repository: firstOrNotFound(await loadInvitedRepositories(tx, [invitation.repository_id])) };
}

const ownEvent = (owner: Account['id'], repository: Id<'repositories'>, { by, now }: ActionContext) =>
  ({ owner, repository, actor: by.account.id, at: now }) as const;

/** Accepts the caller's own invitation: they get the role that it offers. An expired one isn't found. */
export async function acceptInvitation(tx: Tx, action: ActionContext, id: InvitationId): Promise<void> {
  const { invitation, repository } = await takeInvitation(tx, action, id);
  if (isExpired(invitation, action.now)) throw notFound();
  const user = action.by.account.id;
  const given = [{ repository_id: repository.id, role: invitation.role }];
  const [kept] = await raiseCollaborator(tx, user, given, action.now);
  const data = { user, role: kept?.role ?? invitation.role };
  await record(tx, { ...ownEvent(repository.owner_id, repository.id, action), kind: 'collaborator.added', data });
}

/** Declines the caller's own invitation. */
export async function declineInvitation(tx: Tx, action: ActionContext, id: InvitationId): Promise<void> {
  const { repository } = await takeInvitation(tx, action, id);
  const event = ownEvent(repository.owner_id, repository.id, action);
  await record(tx, { ...event, kind: 'collaborator.invitation_declined', data: { user: action.by.account.id } });
}
