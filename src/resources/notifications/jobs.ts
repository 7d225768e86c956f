// Subscriptions that put events into inboxes.
import type { Services } from '#endpoint/services.ts';
import { subscription } from '#events/subscription.ts';
import { unique } from '#lib/collections.ts';
import { findRepository } from '#resources/repositories/index.ts';
import { type Activity, notifyInvitee } from './fan-out-store.ts';
import { touchAffected, touchInbox } from './inbox-store.ts';
import { inBatches, notify } from './notify.ts';
import { putSubject } from './subject-store.ts';
import { addParticipant } from './subscription-store.ts';

const issueEvents = [
  'issue.opened',
  'issue.edited',
  'issue.closed',
  'issue.reopened',
  'issue.assigned',
  'issue_comment.created',
  'issue_comment.edited',
] as const;
type IssueEvent = (typeof issueEvents)[number];

/** The reason for which the actor of an event is notified of later ones. */
const actorReasons = {
  'issue.opened': 'author',
  'issue.closed': 'state_change',
  'issue.reopened': 'state_change',
  'issue_comment.created': 'comment',
} as const;

/** Notifies people of an event of an issue: participants, watchers of the repository, and who is mentioned or assigned. */
export const fanOutIssueEvent = subscription<IssueEvent, Services>({
  name: 'notifications.fan-out',
  on: issueEvents,
  attempts: 25,
  async run(event, context) {
    const { id, repository, actor, at, data } = event;
    const repo = repository === undefined ? undefined : await findRepository(context.db, repository);
    if (!repo) return;
    const { issue } = data;
    const subject = await context.change(async (tx) => {
      const about = await putSubject(tx, repo.id, { kind: 'issue', issue_id: issue });
      const participant = participationOf(event);
      if (about !== undefined && participant) await addParticipant(tx, { ...participant, subject: about, at });
      return about;
    });
    if (subject === undefined) return;
    const text = { issue, comment: 'comment' in data ? data.comment : undefined };
    await notify(context, { event: id, repo, subject, text, actors: unique([actor]), at, recipients: recipientsOf(event) });
  },
});

type Event = Parameters<typeof fanOutIssueEvent.run>[0];

function participationOf(event: Event) {
  if (event.kind === 'issue.assigned') return { account: event.data.user, reason: 'assign' } as const;
  if (event.kind === 'issue.edited' || event.kind === 'issue_comment.edited' || event.actor === undefined) return undefined;
  return { account: event.actor, reason: actorReasons[event.kind] };
}

function recipientsOf({ kind, data }: Event): Activity['recipients'] {
  if (kind === 'issue.assigned') return { assigned: data.user };
  return kind === 'issue.edited' || kind === 'issue_comment.edited' ? 'mentioned' : { takingPartIn: data.issue };
}

/** Notifies who accepted an invitation into a repository; a collaborator whom somebody else added had none to accept. */
export const notifyAcceptedInvitation = subscription<'collaborator.added', Services>({
  name: 'notifications.accepted-invitation',
  on: ['collaborator.added'],
  attempts: 25,
  async run({ id, repository, actor, at, data }, { db, change }) {
    if (repository === undefined || actor !== data.user) return;
    const repo = await findRepository(db, repository);
    if (!repo) return;
    await change(async (tx) => {
      const subject = await putSubject(tx, repo.id, { kind: 'invitation' });
      if (subject !== undefined) await notifyInvitee(tx, { event: id, repo, subject, at, account: data.user });
    });
  },
});

/** Events that change what inboxes show but update no thread: of titles, deleted comments, names and access. */
const affecting = [
  'issue.edited',
  'issue_comment.deleted',
  'organization.updated',
  'repository.renamed',
  'repository.updated',
  'repository.transferred',
  'repository.privatized',
  'repository.publicized',
  'repository.archived',
  'repository.unarchived',
  'repository.default_branch_changed',
  'collaborator.added',
  'collaborator.changed',
  'collaborator.removed',
  'member.added',
  'member.changed',
  'member.removed',
  'organization_role.assigned',
  'organization_role.revoked',
  'team.member_added',
  'team.member_removed',
  'team.repository_added',
  'team.repository_removed',
  'team.deleted',
] as const;

/** Touches the inboxes whose content changed, so that polls get a new reply. */
export const touchAffectedInboxes = subscription<(typeof affecting)[number], Services>({
  name: 'notifications.touch-inboxes',
  on: affecting,
  attempts: 25,
  async run({ kind, owner, repository, data }, { change, now }) {
    if (kind === 'issue.edited' && !data.changes.title) return;
    if ('user' in data && data.user !== undefined) {
      const { user } = data;
      await change((tx) => touchInbox(tx, user, now));
      return;
    }
    const issue = 'issue' in data ? data.issue : undefined;
    await inBatches(change, (tx, after) => touchAffected(tx, { owner, repository, issue }, after, now));
  },
});
