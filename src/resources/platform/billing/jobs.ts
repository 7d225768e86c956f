import type { JobContext } from '#endpoint/job-context.ts';
import { batchSubscription } from '#events/subscription.ts';
import { job } from '#jobs/job.ts';
import { unique } from '#lib/collections.ts';
import { addDays, dayOf } from '#lib/time.ts';
import { putRates, type Rate } from './rate-store.ts';
import { recordReachedBudgets } from './rules.ts';
import { minuteRate, minutesBetween, skuOf, storageRates } from './skus.ts';
import { type Addition, addStorage, addUsage, countHour, countJobs, forgetHours } from './usage-store.ts';

/** Counts the minutes of completed jobs. A job is counted once, even if its event is delivered again. */
export const countMinutes = batchSubscription<'workflow_job.completed', JobContext>({
  name: 'billing.count-minutes',
  on: ['workflow_job.completed'],
  attempts: 25,
  async runAll(events, { change, services: { prices }, now }) {
    await change(async (scope) => {
      const jobs = await countJobs(scope.tx, unique(events.map(({ data }) => data.job)));
      if (jobs.length === 0) return;
      const rates = new Map<string, Rate>(jobs.map((ran) => [skuOf(ran), minuteRate(prices, ran)]));
      const ids = await putRates(scope.tx, [...rates.values()]);
      const additions = jobs.flatMap((ran): Addition[] => {
        const { organization_id, repository_id, repository_name, started_at, completed_at } = ran;
        const rate_id = ids.get(skuOf(ran));
        if (rate_id === undefined) return [];
        const quantity = minutesBetween(started_at, completed_at);
        return [{ organization_id, repository_id, repository_name, rate_id, day: dayOf(completed_at), quantity }];
      });
      await addUsage(scope.tx, additions);
      await recordReachedBudgets(scope, unique(jobs.map(({ organization_id }) => organization_id)), now);
    });
  },
});

/** The number of days for which counted hours are remembered: longer than the retries of a job. */
const rememberedDays = 35;

/** Counts the stored bytes once per hour, as if they were stored for that whole hour. */
export const countStorage = job<Record<string, never>, JobContext>({
  name: 'billing.count-storage',
  attempts: 5,
  schedule: { cron: '23 * * * *' },
  async run(_payload, { change, services: { prices }, now }) {
    const hour = new Date(Math.floor(now.getTime() / 3_600_000) * 3_600_000);
    await change(async (scope) => {
      if (!(await countHour(scope.tx, hour))) return;
      const rates = storageRates(prices);
      const ids = await putRates(scope.tx, [rates.artifacts, rates.caches]);
      const artifacts = ids.get(rates.artifacts.sku);
      const caches = ids.get(rates.caches.sku);
      if (artifacts === undefined || caches === undefined) return;
      await recordReachedBudgets(scope, await addStorage(scope.tx, dayOf(hour), { artifacts, caches }), now);
      await forgetHours(scope.tx, addDays(hour, -rememberedDays));
    });
  },
});
