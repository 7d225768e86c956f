import type { JobContext } from '#endpoint/job-context.ts';
import { subscription } from '#events/subscription.ts';
import { job } from '#jobs/job.ts';
import { loadActionsPolicy } from '#resources/actions-permissions/index.ts';
import { removeObjectsLater } from '#resources/job-uploads/index.ts';
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

const repositoriesAtOnce = 500;

/** Removes caches that nobody has used for as long as the settings say, and what is beyond settings that were lowered. */
export const removeUnused = job<Record<string, never>, JobContext>({
  name: 'caches.remove-unused',
  attempts: 3,
  schedule: { cron: '41 * * * *' },
  async run(_payload, { db, change, services: { resourceLimits }, now }) {
    let after = 0;
    for (;;) {
      const repositories = await listRepositoriesWithCaches(db, after, repositoriesAtOnce);
      for (const repository of repositories) {
        const bounds = boundsOf(await loadActionsPolicy(db, repository), { limits: resourceLimits.results, now });
        await change(async (tx) => removeObjectsLater(tx, await removeBeyond(tx, repository.id, bounds)));
      }
      const last = repositories.at(-1);
      if (!last || repositories.length < repositoriesAtOnce) return;
      after = last.id;
    }
  },
});
