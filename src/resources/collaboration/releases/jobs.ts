import type { JobContext } from '#endpoint/job-context.ts';
import { subscription } from '#events/subscription.ts';

/** Removes the files of a deleted repository's releases. */
export const removeFiles = subscription<'repository.deleted', JobContext>({
  name: 'releases.remove-files',
  on: ['repository.deleted'],
  attempts: 25,
  async run({ repository }, { services: { objects } }) {
    if (repository !== undefined) await objects.removeGroup(String(repository));
  },
});
