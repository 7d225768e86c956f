import type { JobContext } from '#endpoint/job-context.ts';
import { job } from '#jobs/job.ts';
import { asId, type Id } from '#lib/id.ts';
import { addDays } from '#lib/time.ts';
import {
  dropWaitingBeyond,
  listOwnersStoringMore,
  removeDeliveredHooks,
  removeDeliveriesBefore,
  removeOldestDeliveries,
  removeUnusedPayloads,
} from '#webhook-delivery/retention.ts';

const batchSize = 5_000;
const payloadsPerBatch = 50_000;

/** Removes deliveries that are older than the configured days, or more than an owner may store, and payloads that nothing refers to. */
export const removeOldDeliveries = job<Record<string, never>, JobContext>({
  name: 'webhooks.remove-old',
  attempts: 3,
  schedule: { cron: '17 * * * *' },
  async run(_payload, { db, change, services, now }) {
    const { storedPerOwner, waitingPerOwner } = services.resourceLimits.webhooks;
    await change((tx) => removeDeliveredHooks(tx)); // left by a worker that crashed after the last delivery
    const before = addDays(now, -services.webhooks.keepDays);
    while ((await change((tx) => removeDeliveriesBefore(tx, before, batchSize))) === batchSize);
    await change((tx) => dropWaitingBeyond(tx, waitingPerOwner, now));
    for (const owner of await listOwnersStoringMore(db, storedPerOwner))
      await change((tx) => removeOldestDeliveries(tx, owner, storedPerOwner));
    let after: Id<'webhook_payloads'> | undefined = asId<'webhook_payloads'>(0);
    while (after !== undefined) after = await change((tx) => removeUnusedPayloads(tx, after ?? asId(0), payloadsPerBatch));
  },
});
