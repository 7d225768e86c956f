import type { JobContext } from '#endpoint/job-context.ts';
import { recordEach } from '#events/record.ts';
import { batchSubscription, subscription } from '#events/subscription.ts';
import { job } from '#jobs/job.ts';
import { addDays, dayOf } from '#lib/time.ts';
import { removeForeignBudgets } from './budget-store.ts';
import { countUses } from './counting.ts';
import { putRates } from './rate-store.ts';
import { recordReachedBudgets } from './rules.ts';
import { minutesBetween, skuOf, storageRates } from './skus.ts';
import { addStorage, countHour, countJobs, forgetHours, putName } from './usage-store.ts';

/** Counts the minutes of completed jobs. A job is counted once, even if its event is delivered again. */
export const countMinutes = batchSubscription<'workflow_job.completed', JobContext>({
  name: 'billing.count-minutes',
  on: ['workflow_job.completed'],
  attempts: 25,
  async runAll(events, { change, services: { prices }, now }) {
    await change(async (scope) => {
      const jobs = await countJobs(
        scope.tx,
        events.map(({ owner, data }) => ({ owner, job: data.job })),
      );
      const uses = jobs.map(({ started_at, completed_at, ...ran }) => ({
        ...ran,
        user: ran.user ?? undefined,
        sku: skuOf(ran),
        quantity: minutesBetween(started_at, completed_at),
        at: completed_at,
      }));
      await countUses(scope, prices, uses, now);
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

/** Keeps the last name of a repository that its organization no longer has, and removes the budgets for it. */
export const followRepositories = subscription<'repository.deleted' | 'repository.transferred', JobContext>({
  name: 'billing.follow-repositories',
  on: ['repository.deleted', 'repository.transferred'],
  attempts: 25,
  async run(event, { change }) {
    const { kind, repository, owner, actor, at, data } = event;
    if (repository === undefined) return;
    const organization = kind === 'repository.transferred' ? data.from : owner;
    await change(async (scope) => {
      if (data.name !== undefined) await putName(scope.tx, organization, repository, data.name);
      const removed = await removeForeignBudgets(scope.tx, organization, repository);
      await recordEach(scope.tx, removed, (budget) => ({
        kind: 'budget.deleted',
        owner: organization,
        actor,
        at,
        data: { budget },
      }));
    });
  },
});
