import type { Services } from '#endpoint/services.ts';
import { subscription } from '#events/subscription.ts';
import { job } from '#jobs/job.ts';
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

/** Indexes the name, description, topics and README of a repository. It reads the current state, so one run covers many events. */
export const indexRepository = subscription<(typeof kinds)[number], Services>({
  name: 'search.index-repository',
  on: kinds,
  attempts: 25,
  key: ({ repository }) => String(repository),
  async run({ repository }, { db, services: { git } }) {
    if (repository !== undefined) await indexRepositoryWords({ db, git, id: repository });
  },
});

/** Indexes repositories that are missing in the indexes after an upgrade, a restored backup or an interrupted `hearth reindex`. */
export const indexMissing = job<object, Services>({
  name: 'search.catch-up',
  attempts: 1,
  schedule: { cron: '37 * * * *', atStart: true },
  async run(_payload, { db, services: { git }, now, log }) {
    const repositories = await indexStale({
      db,
      git,
      now,
      onFailure: (error, repository) => log.error({ err: error, repository }, 'a repository could not be indexed for the search'),
    });
    if (repositories > 0) log.info({ repositories }, 'indexed repositories that were left behind');
  },
});
