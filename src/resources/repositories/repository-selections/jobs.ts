import type { JobContext } from '#endpoint/job-context.ts';
import { subscription } from '#events/subscription.ts';
import { removeForeign } from './store.ts';

/** Removes a transferred repository from the selections of its former owner, so that it isn't selected when it comes back. */
export const unselectTransferred = subscription<'repository.transferred', JobContext>({
  name: 'repository-selections.transferred',
  on: ['repository.transferred'],
  attempts: 25,
  async run({ repository }, { change }: JobContext) {
    if (repository !== undefined) await change((scope) => removeForeign(scope.tx, repository));
  },
});
