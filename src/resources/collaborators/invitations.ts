import type { Role } from '#access/roles.ts';
import type { RepoStep, Step } from '#access/step.ts';
import type { Account } from '#access/viewer.ts';
import type { Tx } from '#database/connect.ts';
import { inRepository } from '#events/place.ts';
import { record } from '#events/record.ts';
import type { Id } from '#lib/id.ts';
import { existing, notFound, only } from '#lib/refusal.ts';
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
export async function changeInvitation(tx: Tx, step: RepoStep, id: InvitationId, role: Role | undefined): Promise<InvitationRow> {
  const { repo } = step;
  const invitation = existing(await findInvitation(tx, repo.id, id));
  if (role === undefined || role === invitation.role) return invitation;
  checkRole(repo, role, 'permissions');
  const changed = existing(await updateInvitation(tx, id, { role }));
  const data = { user: invitation.invitee_id, role };
  await record(tx, { ...inRepository(step), kind: 'collaborator.invitation_changed', data });
  return changed;
}

/** Withdraws an invitation. */
export async function cancelInvitation(tx: Tx, step: RepoStep, id: InvitationId): Promise<void> {
  const invitation = await findInvitation(tx, step.repo.id, id);
  if (!invitation || !(await removeInvitation(tx, id))) throw notFound();
  const data = { user: invitation.invitee_id };
  await record(tx, { ...inRepository(step), kind: 'collaborator.invitation_canceled', data });
}

/** Removes the caller's own invitation. Returns it with its repository. */
async function takeInvitation(tx: Tx, { by }: Step, id: InvitationId) {
  const invitation = await findOwnInvitation(tx, by, id);
  if (!invitation || !(await removeInvitation(tx, id))) throw notFound();
  return { invitation, repository: only(await loadInvitedRepositories(tx, [invitation.repository_id])) };
}

const ownEvent = (owner: Account['id'], repository: Id<'repositories'>, { by, now }: Step) =>
  ({ owner, repository, actor: by.account.id, at: now }) as const;

/** Accepts the caller's own invitation: they get the role that it offers. An expired one isn't found. */
export async function acceptInvitation(tx: Tx, step: Step, id: InvitationId): Promise<void> {
  const { invitation, repository } = await takeInvitation(tx, step, id);
  if (isExpired(invitation, step.now)) throw notFound();
  const user = step.by.account.id;
  const given = [{ repository_id: repository.id, role: invitation.role }];
  const [kept] = await raiseCollaborator(tx, user, given, step.now);
  const data = { user, role: kept?.role ?? invitation.role };
  await record(tx, { ...ownEvent(repository.owner_id, repository.id, step), kind: 'collaborator.added', data });
}

/** Declines the caller's own invitation. */
export async function declineInvitation(tx: Tx, step: Step, id: InvitationId): Promise<void> {
  const { repository } = await takeInvitation(tx, step, id);
  const event = ownEvent(repository.owner_id, repository.id, step);
  await record(tx, { ...event, kind: 'collaborator.invitation_declined', data: { user: step.by.account.id } });
}
