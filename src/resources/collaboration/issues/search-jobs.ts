import type { Tx } from '#database/connect.ts';
import type { JobContext } from '#endpoint/job-context.ts';
import { batchSubscription, type Recorded } from '#events/subscription.ts';
import { enqueue, job } from '#jobs/job.ts';
import { unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { scanTextsAnew } from '#resources/code/secret-scanning/index.ts';
import { indexIssues, indexIssuesWithName, indexMissingIssues, type NameOnIssues, reindexIssues } from '#search/index.ts';
import { enqueueReading } from './texts/unread-texts.ts';

const changes = [
  'issue.opened',
  'issue.edited',
  'issue.closed',
  'issue.reopened',
  'issue.locked',
  'issue.unlocked',
  'issue.labeled',
  'issue.unlabeled',
  'issue.assigned',
  'issue.unassigned',
  'issue.milestoned',
  'issue.demilestoned',
  'issue.field_added',
  'issue.field_changed',
  'issue.field_removed',
  'pull_request.opened',
  'pull_request.edited',
  'pull_request.closed',
  'pull_request.reopened',
  'pull_request.synchronize',
  'pull_request.ready_for_review',
  'pull_request.converted_to_draft',
  'pull_request.locked',
  'pull_request.unlocked',
  'pull_request.labeled',
  'pull_request.unlabeled',
  'pull_request.assigned',
  'pull_request.unassigned',
  'pull_request.milestoned',
  'pull_request.demilestoned',
  'issue_comment.created',
  'issue_comment.edited',
  'issue_comment.deleted',
  'reaction.created',
  'reaction.deleted',
  'sub_issues.sub_issue_added',
  'sub_issues.sub_issue_removed',
  'sub_issues.parent_issue_added',
  'sub_issues.parent_issue_removed',
  'issue_dependencies.blocked_by_added',
  'issue_dependencies.blocked_by_removed',
  'issue_dependencies.blocking_added',
  'issue_dependencies.blocking_removed',
] as const;

/**
 * Keeps the search index of issues and pull requests up to date. Access and the names of repositories aren't in the index: each
 * search looks them up.
 */
export const indexChanged = batchSubscription<(typeof changes)[number], JobContext>({
  name: 'issues.index',
  on: changes,
  attempts: 25,
  async runAll(events, { db }) {
    await indexIssues(db, unique(events.map(({ data }) => data.issue)));
  },
});

const renames = ['label.edited', 'label.deleted', 'milestone.edited', 'milestone.deleted'] as const;

/** Indexes the issues of a renamed or deleted label or milestone again, since the search finds them by its name. */
export const indexRenamed = batchSubscription<(typeof renames)[number], JobContext>({
  name: 'issues.index-renamed',
  on: renames,
  attempts: 25,
  async runAll(events, { db }) {
    for (const event of events) {
      const name = formerName(event);
      if (event.repository !== undefined && name) await indexIssuesWithName(db, event.repository, name);
    }
  },
});

/** The name of the label or milestone that the index still holds; undefined where it is unchanged. */
function formerName(event: Recorded<(typeof renames)[number]>): NameOnIssues | undefined {
  switch (event.kind) {
    case 'label.deleted':
      return { label: event.data.name };
    case 'milestone.deleted':
      return { milestone: event.data.title };
    case 'label.edited':
      return event.data.from?.name === undefined ? undefined : { label: event.data.from.name };
    case 'milestone.edited':
      return event.data.from?.title === undefined ? undefined : { milestone: event.data.from.title };
  }
}

/** Indexes issues without a row in the index, as after an upgrade, a restored backup or an interrupted `hearth reindex`. */
export const indexMissing = job<object, JobContext>({
  name: 'issues.index-missing',
  attempts: 1,
  schedule: { cron: '17 * * * *', atStart: true },
  async run(_payload, { db, log }) {
    const { issues } = await indexMissingIssues(db);
    if (issues > 0) log.info({ issues }, 'indexed issues that had no row');
  },
});

/** Indexes issues that changed without an event, such as pull requests whose branch was renamed. */
export const indexChangedSilently = job<{ issues: Id<'issues'>[] }, JobContext>({
  name: 'issues.index-changed',
  attempts: 25,
  async run({ issues }, { db }) {
    await indexIssues(db, issues);
  },
});

/** Enqueues the indexing of issues for after the commit. */
export async function enqueueIndexing(tx: Tx, issues: readonly Id<'issues'>[]): Promise<void> {
  if (issues.length > 0) await enqueue(tx, indexChangedSilently, { issues: unique(issues) });
}

type OneRepository = { repository: Id<'repositories'> };

/** Indexes all issues of an imported repository, since imports record no events for them. */
export const indexImported = job<OneRepository, JobContext>({
  name: 'issues.index-imported',
  attempts: 25,
  async run({ repository }, { db }) {
    await reindexIssues({ db, repositoryId: repository });
  },
});

/**
 * Enqueues the background work for imported issues: index them, read the mentions in their texts, and scan all texts of the
 * repository for secrets.
 */
export async function enqueueImportedIssues(tx: Tx, repository: Id<'repositories'>): Promise<void> {
  await enqueue(tx, indexImported, { repository });
  await enqueueReading(tx, repository);
  await scanTextsAnew(tx, repository);
}
