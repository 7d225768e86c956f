import type { JobContext } from '#endpoint/job-context.ts';
import { subscription } from '#events/subscription.ts';
import { repeatWhile } from '#jobs/repeat.ts';
import { grouped } from '#lib/collections.ts';
import { lossesOfAccess } from '#resources/repositories/watching/index.ts';
import { dropLostRequests } from './reviewer-store.ts';
import { recordReviewers } from './reviewers.ts';

/**
 * Withdraws review requests from people and teams who lost the role that such a request needs. Each withdrawal records an event.
 */
export const removeLostReviewers = subscription<(typeof lossesOfAccess)[number], JobContext>({
  name: 'pulls.remove-lost-reviewers',
  on: lossesOfAccess,
  attempts: 25,
  async run({ owner, repository, actor, at }, { change, stopping }: JobContext) {
    const removeSome = () =>
      change(async (scope) => {
        const lost = await dropLostRequests(scope.tx, { owner, repository });
        for (const [id, own] of grouped(lost, ({ repository_id }) => repository_id))
          await recordReviewers(
            scope,
            { repo: { id, owner_id: owner }, actor, app: null, now: at },
            'review_request_removed',
            own,
          );
        return lost.length > 0;
      });
    await repeatWhile({ stopping }, removeSome);
  },
});
