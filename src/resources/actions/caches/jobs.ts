import type { JobContext } from '#endpoint/job-context.ts';
import { subscription } from '#events/subscription.ts';
import { job } from '#jobs/job.ts';
import { repeatWhile, stepsOf } from '#jobs/repeat.ts';
import { removeObjectsLater } from '#resources/actions/job-uploads/index.ts';
import { loadActionsPolicy } from '#resources/repositories/actions-permissions/index.ts';
import { cacheLimits } from './limits.ts';
import { boundsOf, cacheGroupOf } from './rules.ts';
import { listRepositoriesWithCaches, removeBeyond } from './store.ts';

/** Removes the caches of a deleted repository from the object store. */
export const removeStored = subscription<'repository.deleted', JobContext>({
  name: 'caches.remove-stored',
  on: ['repository.deleted'],
  attempts: 25,
  async run({ repository }, { services: { objects } }) {
    if (repository !== undefined) await objects.removeGroup(cacheGroupOf(repository));
  },
});

const repositoriesPerBatch = 500;

/** Removes caches that weren't used for the configured time, and caches beyond a lowered limit. */
export const removeUnused = job<Record<string, never>, JobContext>({
  name: 'caches.remove-unused',
  attempts: 3,
  schedule: { cron: '41 * * * *' },
  async run(_payload, { db, change, services: { resourceLimits }, now, stopping }) {
    let after = 0;
    await repeatWhile({ stopping }, async () => {
      const repositories = await listRepositoriesWithCaches(db, after, repositoriesPerBatch);
      for (const repository of stepsOf({ stopping }, repositories)) {
        const bounds = boundsOf(await loadActionsPolicy(db, repository), { limits: resourceLimits.of(cacheLimits), now });
        await change(async (scope) => removeObjectsLater(scope, await removeBeyond(scope.tx, repository.id, bounds)));
      }
      after = repositories.at(-1)?.id ?? after;
      return repositories.length === repositoriesPerBatch;
    });
  },
});
