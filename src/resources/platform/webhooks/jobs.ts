import type { JobContext } from '#endpoint/job-context.ts';
import { job } from '#jobs/job.ts';
import { repeatWhile, stepsOf } from '#jobs/repeat.ts';
import { asId } from '#lib/id.ts';
import { addDays } from '#lib/time.ts';
import {
  dropWaitingBeyond,
  listOwnersStoringMore,
  removeDeliveredHooks,
  removeDeliveriesBefore,
  removeOldestDeliveries,
  removeUnusedPayloads,
} from '#webhook-delivery/retention.ts';
import { webhookLimits } from './limits.ts';

const batchSize = 5_000;
const payloadsPerBatch = 50_000;

/**
 * Removes deliveries that are older than the configured number of days, or exceed an owner's storage limit, and payloads without
 * deliveries.
 */
export const removeOldDeliveries = job<Record<string, never>, JobContext>({
  name: 'webhooks.remove-old',
  attempts: 3,
  schedule: { cron: '17 * * * *' },
  async run(_payload, { db, change, services, now, stopping }) {
    const { storedPerOwner, waitingPerOwner } = services.resourceLimits.of(webhookLimits);
    await change((scope) => removeDeliveredHooks(scope.tx)); // A worker that crashed after the last delivery leaves them.
    const before = addDays(now, -services.webhooks.keepDays);
    const removeOld = () => change((scope) => removeDeliveriesBefore(scope.tx, before, batchSize));
    await repeatWhile({ stopping }, async () => (await removeOld()) === batchSize);
    await change((scope) => dropWaitingBeyond(scope.tx, waitingPerOwner, now));
    for (const owner of stepsOf({ stopping }, await listOwnersStoringMore(db, storedPerOwner)))
      await change((scope) => removeOldestDeliveries(scope.tx, owner, storedPerOwner));
    let after = asId<'webhook_payloads'>(0);
    await repeatWhile({ stopping }, async () => {
      const next = await change((scope) => removeUnusedPayloads(scope.tx, after, payloadsPerBatch));
      after = next ?? after;
      return next !== undefined;
    });
  },
});
