import type { JobContext } from '#endpoint/job-context.ts';
import { job } from '#jobs/job.ts';
import { repeatWhile } from '#jobs/repeat.ts';
import { addDays } from '#lib/time.ts';
import { removeSuitesBefore } from './store.ts';

/** Lists cover a month at most. */
const keptDays = 31;

/** Removes old results of rules. */
export const removeOldSuites = job<Record<string, never>, JobContext>({
  name: 'ref-rules.remove-old-suites',
  attempts: 3,
  schedule: { cron: '41 3 * * *' },
  async run(_payload, { db, now, stopping }) {
    await repeatWhile({ stopping }, async () => (await removeSuitesBefore(db, addDays(now, -keptDays))) > 0);
  },
});
