// Subscriptions that put events into inboxes.
import type { RepositoryRow } from '#access/viewer.ts';
import type { Tx } from '#database/connect.ts';
import type { Services } from '#endpoint/services.ts';
import { subscription } from '#events/subscription.ts';
import { openObjects } from '#git/objects/objects.ts';
import type { Commit } from '#git/objects/parse-commit.ts';
import { repoOf, repositoryExists } from '#git/store.ts';
import type { JobContext } from '#jobs/job.ts';
import { unique } from '#lib/collections.ts';
import { asId, type Id } from '#lib/id.ts';
import { loadAccountsByEmail } from '#resources/accounts/index.ts';
import { findRepository } from '#resources/repositories/index.ts';
import { type Activity, notifyInvitee, notifyNextBatch } from './fan-out-store.ts';
import { touchAffected, touchInbox } from './inbox-store.ts';
import { putSubject, putSubjects, type Subject } from './subject-store.ts';
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

/** Notifies whom the messages of pushed commits mention; not who pushed a commit, nor its author. */
export const notifyMentionedInCommits = subscription<'push.mentioned', Services>({
  name: 'notifications.pushed-commits',
  on: ['push.mentioned'],
  attempts: 25,
  async run({ id, repository, actor, at, data }, context) {
    const { db, change, services } = context;
    const repo = repository === undefined ? undefined : await findRepository(db, repository);
    if (!repo) return;
    const commits = await findCommits(services, repo, data.commits.slice(-services.resourceLimits.notifications.pushedCommits));
    const host = services.url === undefined ? '' : new URL(services.url).hostname;
    const emails = [...commits.values()].map(({ author }) => author.email);
    const authors = await loadAccountsByEmail(db, emails, host);
    const subjects = await change((tx) => putSubjects(tx, repo.id, [...commits.values()].map(subjectOf)));
    for (const { id: subject, commit_sha } of subjects) {
      const commit = commits.get(commit_sha ?? '');
      if (!commit) continue;
      const author = authors.get(commit.author.email.toLowerCase())?.id;
      const text = { commit: commit.oid };
      await notify(context, { event: id, repo, subject, text, actors: unique([actor, author]), at, recipients: 'mentioned' });
    }
  },
});

/** Commits that are still there. */
async function findCommits(
  { git }: Services,
  { id }: RepositoryRow,
  oids: readonly string[],
): Promise<ReadonlyMap<string, Commit>> {
  if (!(await repositoryExists(repoOf(git, id)))) return new Map();
  await using reader = await openObjects(repoOf(git, id));
  return await reader.findCommits(oids);
}

const maxTitle = 256;

/** A commit, with the first line of its message as title. */
const subjectOf = ({ oid, message }: Commit): Subject => ({
  kind: 'commit',
  commit_sha: oid,
  title: (message.trimStart().split('\n', 1)[0] ?? '').slice(0, maxTitle).trimEnd().replaceAll('\0', ' ').toWellFormed(),
});

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

const notify = ({ change }: JobContext, activity: Activity): Promise<void> =>
  inBatches(change, (tx, after) => notifyNextBatch(tx, activity, after));

type Account = Id<'accounts'>;

/** Works through accounts in the order of their ids. Each batch has a transaction of its own and returns its last id. */
async function inBatches(
  change: JobContext['change'],
  batch: (tx: Tx, after: Account) => Promise<Account | undefined>,
): Promise<void> {
  let after: Account | undefined = asId<'accounts'>(0);
  while (after !== undefined) {
    const next: Account = after;
    after = await change((tx) => batch(tx, next));
  }
}
