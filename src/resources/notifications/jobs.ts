// Subscriptions that put events into inboxes.
import type { Services } from '#endpoint/services.ts';
import { subscription } from '#events/subscription.ts';
import { asId, type Id } from '#lib/id.ts';
import { findRepository } from '#resources/repositories/index.ts';
import { type Activity, notifyInvitee, notifyNextBatch } from './fan-out-store.ts';
import { touchAffected, touchInbox } from './inbox-store.ts';
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
  async run(event, { db, change }) {
    const { id, repository, actor, at, data } = event;
    const repo = repository === undefined ? undefined : await findRepository(db, repository);
    if (!repo) return;
    const { issue } = data;
    const participant = participationOf(event);
    if (participant) await change((tx) => addParticipant(tx, { ...participant, repository: repo.id, issue, at }));
    const comment = 'comment' in data ? data.comment : undefined;
    const activity: Activity = { event: id, repo, issue, comment, actor, at, recipients: recipientsOf(event) };
    let after: Id<'accounts'> | undefined = asId<'accounts'>(0);
    while (after !== undefined) {
      const next: Id<'accounts'> = after;
      after = await change((tx) => notifyNextBatch(tx, activity, next));
    }
  },
});

type Event = Parameters<typeof fanOutIssueEvent.run>[0];

function participationOf(event: Event) {
  if (event.kind === 'issue.assigned') return { account: event.data.user, reason: 'assign' } as const;
  if (event.kind === 'issue.edited' || event.kind === 'issue_comment.edited' || event.actor === undefined) return undefined;
  return { account: event.actor, reason: actorReasons[event.kind] };
}

function recipientsOf(event: Event): Activity['recipients'] {
  if (event.kind === 'issue.assigned') return { assigned: event.data.user };
  return event.kind === 'issue.edited' || event.kind === 'issue_comment.edited' ? 'mentioned' : 'everybody';
}

/** Notifies who accepted an invitation into a repository; a collaborator whom somebody else added had none to accept. */
export const notifyAcceptedInvitation = subscription<'collaborator.added', Services>({
  name: 'notifications.accepted-invitation',
  on: ['collaborator.added'],
  attempts: 25,
  async run({ id, repository, actor, at, data }, { db, change }) {
    if (repository === undefined || actor !== data.user) return;
    const repo = await findRepository(db, repository);
    if (repo) await change((tx) => notifyInvitee(tx, { event: id, repo, at, account: data.user }));
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
    let after: Id<'accounts'> | undefined = asId<'accounts'>(0);
    while (after !== undefined) {
      const next: Id<'accounts'> = after;
      after = await change((tx) => touchAffected(tx, { owner, repository, issue }, next, now));
    }
  },
});
