import type { JobContext } from '#endpoint/job-context.ts';
import { job } from '#jobs/job.ts';
import { addMinutes } from '#lib/time.ts';
import { removeForgotten } from './store.ts';

const batchSize = 1_000;
/** How long a runner for a single job may be offline, in minutes (the public API's day). */
const silentMinutes = 24 * 60;

/** Removes the runners for a single job that were never started, or that ended without a job. */
export const removeForgottenRunners = job<Record<string, never>, JobContext>({
  name: 'runners.remove-forgotten',
  attempts: 1,
  schedule: { cron: '41 * * * *' },
  async run(_payload, { change, now }: JobContext) {
    await change((scope) => removeForgotten(scope.tx, addMinutes(now, -silentMinutes), batchSize));
  },
});
