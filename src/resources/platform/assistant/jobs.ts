import type { JobContext } from '#endpoint/job-context.ts';
import { job } from '#jobs/job.ts';
import { dayOf } from '#lib/time.ts';
import { removeEnded } from './seat-store.ts';

/** Removes assignments of seats that have ended. Seats stop counting on their last day, even before this runs. */
export const removeEndedSeats = job<Record<string, never>, JobContext>({
  name: 'assistant.remove-ended-seats',
  attempts: 3,
  schedule: { cron: '7 0 * * *' },
  async run(_payload, { change, now }: JobContext) {
    await change((scope) => removeEnded(scope.tx, dayOf(now)));
  },
});
