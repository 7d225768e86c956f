import type { Services } from '#endpoint/services.ts';
import { subscription } from '#events/subscription.ts';
import { removeForeign } from './store.ts';

/** A repository that went to another owner leaves the registries that it was selected for, also should it come back. */
export const leaveRegistries = subscription<'repository.transferred', Services>({
  name: 'private-registries.leave',
  on: ['repository.transferred'],
  attempts: 25,
  async run({ repository }, { change }) {
    if (repository !== undefined) await change((tx) => removeForeign(tx, repository));
  },
});
