import type { Services } from '#endpoint/services.ts';
import { subscription } from '#events/subscription.ts';
import { indexRepositoryWords } from '#search/index.ts';

const kinds = [
  'repository.created',
  'repository.updated',
  'repository.renamed',
  'repository.default_branch_changed',
  'push',
] as const;

/** Repositories are found by their name, description, topics and README. Looks at the present state, so one run answers for many events. */
export const indexRepository = subscription<(typeof kinds)[number], Services>({
  name: 'search.index-repository',
  on: kinds,
  attempts: 25,
  key: ({ repository }) => String(repository),
  async run({ repository }, { db, services: { git } }) {
    if (repository !== undefined) await indexRepositoryWords({ db, git, id: repository });
  },
});
