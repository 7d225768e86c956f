import type { JobContext } from '#endpoint/job-context.ts';
import { subscription } from '#events/subscription.ts';
import { repeatWhile } from '#jobs/repeat.ts';
import { addStars } from '#resources/repositories/repositories/index.ts';
import { lossesOfAccess } from '#resources/repositories/watching/index.ts';
import { removeUnreadableStars } from './store.ts';

/**
 * Removes the stars of people who can no longer read a private repository, so that they don't count. Lists hide them even before
 * that.
 */
export const removeLostStars = subscription<(typeof lossesOfAccess)[number], JobContext>({
  name: 'stars.remove-lost',
  on: lossesOfAccess,
  attempts: 25,
  async run({ owner, repository, data }, { change, stopping }: JobContext) {
    const account = 'user' in data ? data.user : undefined;
    const removeSome = () =>
      change(async (scope) => {
        const removed = await removeUnreadableStars(scope.tx, { owner, repository, account });
        await addStars(
          scope.tx,
          removed.map(({ repository, count }) => ({ repository, by: -count })),
        );
        return removed.length > 0;
      });
    await repeatWhile({ stopping }, removeSome);
  },
});
