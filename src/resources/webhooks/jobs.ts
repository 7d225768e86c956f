import type { Services } from '#endpoint/services.ts';
import { job } from '#jobs/job.ts';
import { addDays } from '#lib/time.ts';
import { removeDeliveriesBefore, removeToldHooks } from '#webhooks/deliveries.ts';

const atOnce = 5_000;

/** Removes deliveries that are older than the configured days, a bounded number in each transaction. */
export const removeOldDeliveries = job<Record<string, never>, Services>({
  name: 'webhooks.remove-old',
  attempts: 3,
  schedule: { cron: '17 * * * *' },
  async run(_payload, { change, services, now }) {
    await change((tx) => removeToldHooks(tx)); // those that a worker left that died after the last delivery
    const before = addDays(now, -services.webhooks.keepDays);
    while ((await change((tx) => removeDeliveriesBefore(tx, before, atOnce))) === atOnce);
  },
});
