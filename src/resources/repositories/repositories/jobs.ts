import type { JobContext } from '#endpoint/job-context.ts';
import { subscription } from '#events/subscription.ts';
import { removeRepository, repoOf } from '#git/store.ts';

/** Removes the folder of a deleted repository. */
export const removeFolder = subscription<'repository.deleted', JobContext>({
  name: 'repositories.remove-folder',
  on: ['repository.deleted'],
  attempts: 25,
  async run(event, { services }) {
    if (event.repository !== undefined) await removeRepository(repoOf(services.git, event.repository));
  },
});
