import type { Tx } from '#database/connect.ts';
import type { Services } from '#endpoint/services.ts';
import { subscription } from '#events/subscription.ts';
import { enqueue, job } from '#jobs/job.ts';
import type { Id } from '#lib/id.ts';
import { indexIssues, indexIssuesWithName, indexMissingIssues, reindexIssues } from '#search/index.ts';
import { enqueueReading } from './unread-texts.ts';

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
  'issue_comment.created',
  'issue_comment.edited',
  'issue_comment.deleted',
  'reaction.created',
  'reaction.deleted',
] as const;

/** Keeps the search index of issues up to date. Access and the names of repositories aren't in the index: each search looks them up. */
export const indexIssue = subscription<(typeof changes)[number], Services>({
  name: 'issues.index',
  on: changes,
  attempts: 25,
  key: ({ data }) => String(data.issue),
  async run({ data }, { db }) {
    await indexIssues(db, [data.issue]);
  },
});

const renames = ['label.edited', 'label.deleted', 'milestone.edited', 'milestone.deleted'] as const;

/** Indexes the issues of a label or milestone again when that is renamed or deleted, since they are found by its name. */
export const indexRenamed = subscription<(typeof renames)[number], Services>({
  name: 'issues.index-renamed',
  on: renames,
  attempts: 25,
  async run(event, { db }) {
    const { repository } = event;
    if (repository === undefined) return;
    if (event.kind === 'label.deleted') await indexIssuesWithName(db, repository, { label: event.data.name });
    if (event.kind === 'milestone.deleted') await indexIssuesWithName(db, repository, { milestone: event.data.title });
    if (event.kind === 'label.edited' && event.data.from?.name !== undefined)
      await indexIssuesWithName(db, repository, { label: event.data.from.name });
    if (event.kind === 'milestone.edited' && event.data.from?.title !== undefined)
      await indexIssuesWithName(db, repository, { milestone: event.data.from.title });
  },
});

/** Indexes issues without a row in the index, as after an upgrade, a restored backup or an interrupted `hearth reindex`. */
export const indexMissing = job<object, Services>({
  name: 'issues.index-missing',
  attempts: 1,
  schedule: { cron: '17 * * * *', atStart: true },
  async run(_payload, { db, log }) {
    const { issues } = await indexMissingIssues(db);
    if (issues > 0) log.info({ issues }, 'indexed issues that had no row');
  },
});

type OneRepository = { repository: Id<'repositories'> };

/** Indexes all issues of a repository: those that were imported have no events. */
export const indexImported = job<OneRepository, Services>({
  name: 'issues.index-imported',
  attempts: 25,
  async run({ repository }, { db }) {
    await reindexIssues({ db, repositoryId: repository });
  },
});

/** Has all issues of a repository that were imported indexed, and the mentions in their texts read, in the background. */
export async function enqueueImportedIssues(tx: Tx, repository: Id<'repositories'>): Promise<void> {
  await enqueue(tx, indexImported, { repository });
  await enqueueReading(tx, repository);
}
