// Subscriptions that put events into inboxes.

import type { RepositoryRow } from '#access/viewer.ts';
import type { JobContext } from '#endpoint/job-context.ts';
import { batchSubscription, type Recorded, subscription } from '#events/subscription.ts';
import { gather, getOptional, grouped, keyed, rounds, unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { findRepository, loadNamedRepositories } from '#resources/repositories/repositories/index.ts';
import { type Activity, notifyInvitee, type Recipients, type TextOfIssue } from './fan-out-store.ts';
import { touchAffected, touchInbox } from './inbox-store.ts';
import { inBatches, notify } from './notify.ts';
import { putSubject, putSubjects } from './subject-store.ts';
import { addParticipants, type Part } from './subscription-store.ts';

const issueEvents = [
  'issue.opened',
  'issue.edited',
  'issue.closed',
  'issue.reopened',
  'issue.assigned',
  'pull_request.opened',
  'pull_request.edited',
  'pull_request.closed',
  'pull_request.reopened',
  'pull_request.assigned',
  'pull_request.dequeued',
  'pull_request.ready_for_review',
  'pull_request.review_requested',
  'issue_comment.created',
  'issue_comment.edited',
  // This event also covers the comments of the review.
  'pull_request_review.submitted',
  'pull_request_review.edited',
  'pull_request_review_comment.edited',
] as const;
type IssueEvent = (typeof issueEvents)[number];

/** The reason for notifying the actor of an event about later ones. An author who marks their draft as ready stays its author. */
const actorReasons: Partial<Record<IssueEvent, Part['reason']>> = {
  'issue.opened': 'author',
  'issue.closed': 'state_change',
  'issue.reopened': 'state_change',
  'pull_request.opened': 'author',
  'pull_request.closed': 'state_change',
  'pull_request.reopened': 'state_change',
  'issue_comment.created': 'comment',
  'pull_request_review.submitted': 'comment',
};

/**
 * Notifies people of events of issues and pull requests: participants, watchers of the repository, and users who are mentioned,
 * assigned or requested for a review.
 */
export const fanOutIssueEvents = batchSubscription<IssueEvent, JobContext>({
  name: 'notifications.fan-out',
  on: issueEvents,
  attempts: 25,
  async runAll(all, context) {
    // A merge also removes the pull request from its queue; one notification is enough.
    const events = all.filter(({ kind, data }) => kind !== 'pull_request.dequeued' || data.reason !== 'MERGE');
    const repositories = await loadNamedRepositories(context.db, unique(gather(events, 'repository')));
    // The events of one issue are handled in order, since earlier ones decide who participates.
    for (const round of rounds(events, ({ data }) => data.issue))
      for (const [repository, own] of grouped(round, (event) => event.repository)) {
        const repo = getOptional(repositories, repository);
        if (repo) await fanOut(context, repo, own);
      }
  },
});

type Event = Recorded<IssueEvent>;

/** Notifies people of events of different issues of a repository. */
async function fanOut(context: JobContext, repo: RepositoryRow, events: readonly Event[]): Promise<void> {
  const about = await context.change(async (scope) => {
    const wanted = events.map(({ data }) => ({ kind: 'issue', issue_id: data.issue }) as const);
    const subjects = keyed(await putSubjects(scope.tx, repo.id, wanted), (row) => row.issue_id);
    const known = events.flatMap((event) => {
      const subject = subjects.get(event.data.issue)?.id;
      return subject === undefined ? [] : [{ event, subject }];
    });
    const parts = known.flatMap(participationOf);
    if (parts.length > 0) await addParticipants(scope.tx, parts);
    return known;
  });
  for (const [recipients, alike] of grouped(about, ({ event }) => recipientsOf(event)))
    await notify(context, { repo, recipients, activities: alike.map(activityOf) });
}

type EventOfSubject = { readonly event: Event; readonly subject: Id<'notification_subjects'> };

function activityOf({ event, subject }: EventOfSubject): Activity {
  const { id, actor, at, data } = event;
  const person = 'user' in data ? data.user : undefined;
  const team = 'team' in data ? data.team : undefined;
  return { event: id, subject, text: textOf(event), actors: unique([actor]), at, person, team };
}

function textOf({ kind, data }: Event): TextOfIssue {
  const { issue } = data;
  if (kind === 'issue_comment.created' || kind === 'issue_comment.edited') return { issue, comment: data.comment };
  if (kind === 'pull_request_review.submitted' || kind === 'pull_request_review.edited') return { issue, review: data.review };
  if (kind === 'pull_request_review_comment.edited') return { issue, review_comment: data.comment };
  return { issue };
}

/** The participations that result from an event. */
function participationOf({ event, subject }: EventOfSubject): Part[] {
  const { actor, at, kind, data } = event;
  if (kind === 'pull_request.review_requested')
    return data.user === undefined ? [] : [{ subject, account: data.user, reason: 'review_requested', at }];
  if ('user' in data) return [{ subject, account: data.user, reason: 'assign', at }];
  const reason = actorReasons[kind];
  return actor === undefined || reason === undefined ? [] : [{ subject, account: actor, reason, at }];
}

const edits: ReadonlySet<IssueEvent> = new Set([
  'issue.edited',
  'pull_request.edited',
  'issue_comment.edited',
  'pull_request_review.edited',
  'pull_request_review_comment.edited',
]);

function recipientsOf({ kind, data }: Event): Recipients {
  if (kind === 'pull_request.review_requested') return 'requested';
  if ('user' in data) return 'assigned';
  return edits.has(kind) ? 'mentioned' : 'everybody';
}

/** Notifies a user who accepted an invitation to a repository. Collaborators who were added by somebody else accepted none. */
export const notifyAcceptedInvitation = subscription<'collaborator.added', JobContext>({
  name: 'notifications.accepted-invitation',
  on: ['collaborator.added'],
  attempts: 25,
  async run({ id, repository, actor, at, data }, { db, change }: JobContext) {
    if (repository === undefined || actor !== data.user) return;
    const repo = await findRepository(db, repository);
    if (!repo) return;
    await change(async (scope) => {
      const subject = await putSubject(scope.tx, repo.id, { kind: 'invitation' });
      if (subject !== undefined) await notifyInvitee(scope.tx, { event: id, repo, subject, at, account: data.user });
    });
  },
});

/**
 * Events that change the content of inboxes without updating a thread: changes of titles, review texts, names and access, and
 * deleted comments.
 */
const affecting = [
  'issue.edited',
  'pull_request.opened',
  'pull_request.edited',
  'issue_comment.deleted',
  'commit_comment.deleted',
  'pull_request_review.edited',
  'pull_request_review_comment.deleted',
  'release.edited',
  'release.unpublished',
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
export const touchAffectedInboxes = subscription<(typeof affecting)[number], JobContext>({
  name: 'notifications.touch-inboxes',
  on: affecting,
  attempts: 25,
  async run({ kind, owner, repository, data }, { change, now }: JobContext) {
    if ((kind === 'issue.edited' || kind === 'pull_request.edited') && !data.changes.title) return;
    if (kind === 'release.edited' && !('name' in data.from) && !('tag_name' in data.from)) return;
    if ('user' in data && data.user !== undefined) {
      const { user } = data;
      await change((scope) => touchInbox(scope.tx, user, now));
      return;
    }
    const issue = 'issue' in data ? data.issue : undefined;
    await inBatches(change, (tx, after) => touchAffected(tx, { owner, repository, issue }, after, now));
  },
});
