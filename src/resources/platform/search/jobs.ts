import type { JobContext } from '#endpoint/job-context.ts';
import { batchSubscription } from '#events/subscription.ts';
import { job } from '#jobs/job.ts';
import { gather, unique } from '#lib/collections.ts';
import { indexRepositoryWords, indexStale } from '#search/index.ts';

const kinds = [
  'repository.created',
  'repository.imported',
  'repository.updated',
  'repository.renamed',
  'repository.transferred',
  'repository.default_branch_changed',
  'push',
] as const;

/** Indexes the current names, descriptions, topics and READMEs of repositories, in one step for all events of a batch. */
export const indexChanged = batchSubscription<(typeof kinds)[number], JobContext>({
  name: 'search.index-repository',
  on: kinds,
  attempts: 25,
  async runAll(events, { db, services: { git } }) {
    for (const id of unique(gather(events, 'repository'))) await indexRepositoryWords({ db, git, id });
  },
});

/**
 * Indexes accounts and repositories that are missing from the indexes, for example after an upgrade, a restored backup or an
 * interrupted `hearth reindex`.
 */
export const indexMissing = job<object, JobContext>({
  name: 'search.catch-up',
  attempts: 1,
  schedule: { cron: '37 * * * *', atStart: true },
  async run(_payload, { db, services: { git }, now, log, stopping }) {
    const { accounts, repositories } = await indexStale({
      db,
      git,
      now,
      onFailure(error, repository) {
        stopping?.throwIfAborted();
        log.error({ err: error, repository }, 'a repository could not be indexed for the search');
      },
    });
    if (accounts > 0) log.info({ accounts }, 'indexed accounts that were left behind');
    if (repositories > 0) log.info({ repositories }, 'indexed repositories that were left behind');
  },
});
