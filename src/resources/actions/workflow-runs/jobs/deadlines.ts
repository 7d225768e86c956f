import type { JobContext } from '#endpoint/job-context.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { job } from '#jobs/job.ts';
import { fixedValue } from '#lib/limits.ts';
import { addSeconds } from '#lib/time.ts';
import { listLongWaiting } from '../approval/store.ts';
import { runLimits } from '../limits.ts';
import { advanceRunOf } from '../planning/advance.ts';
import { runScope } from '../planning/contexts.ts';
import { planOf } from '../planning/kept-plan.ts';
import { allowsJob, transitionJob } from '../states/job-states.ts';
import { findJob, findRunForUpdate, type JobRow, listOverdueJobs, listSilentJobs, type RunRow } from '../store.ts';
import { endLostJob, giveUpJob } from './lost-runners.ts';

const jobsPerBatch = 500;
/** A job without any report never reached its runner. It is offered again after this time, in seconds. */
const unheard = 60;
/** In seconds: runners end jobs themselves when the time limit is reached, and report it. */
const overtime = 60;
const usualMinutes = fixedValue(runLimits.jobTime) / 60_000;

/**
 * Whether the server has been running for a time, in seconds. Only then does a runner's silence mean that it is gone, since it
 * may have been unable to reach the server. Offering its job again would run the job twice.
 */
const isThereFor = ({ services, now }: JobContext, seconds: number): boolean => services.openedAt <= addSeconds(now, -seconds);

/** Ends the jobs of runners that are gone, and offers jobs again that never reached their runner. */
export const endSilentJobs = job<Record<string, never>, JobContext>({
  name: 'workflow-runs.end-silent',
  attempts: 1,
  schedule: { cron: '* * * * *', atStart: true },
  async run(_payload, context) {
    const { db, services, now } = context;
    const silence = services.resourceLimits.of(runLimits).silence / 1_000;
    const lost = addSeconds(now, -silence);
    const isLongThere = isThereFor(context, silence);
    const shortest = Math.min(unheard, silence);
    if (!isThereFor(context, shortest)) return;
    const before = addSeconds(now, -shortest);
    for (const found of await listSilentJobs(db, { before, limit: jobsPerBatch }))
      await withJob(context, found, async (scope, run, silent) => {
        if (silent.heard_at === null || (isLongThere && silent.heard_at < lost))
          await giveUpJob(scope, run, silent, 'The runner was not heard of any more');
      });
  },
});

/** Has runners end the jobs that exceeded their time limit, and ends jobs whose runners didn't do so. */
export const endOverdueJobs = job<Record<string, never>, JobContext>({
  name: 'workflow-runs.end-overdue',
  attempts: 1,
  schedule: { cron: '* * * * *', atStart: true },
  async run(_payload, context) {
    const { db, services, now } = context;
    const silence = services.resourceLimits.of(runLimits).silence / 1_000;
    const before = addSeconds(now, -silence);
    const isLongThere = isThereFor(context, silence);
    const wanted = { now, usualMinutes, graceSeconds: overtime, before, limit: jobsPerBatch };
    for (const found of await listOverdueJobs(db, wanted))
      await withJob(context, found, async (scope, run, overdue) => {
        const minutes = planOf(overdue).timeoutMinutes ?? usualMinutes;
        const problem = `It ran for longer than ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`;
        if (overdue.cancelled_at === null) await transitionJob(scope, run, overdue, 'request_cancel', { problem });
        else if (isLongThere && overdue.cancelled_at < before) await endLostJob(scope, run, overdue, 'The runner did not end it');
      });
  },
});

/** Changes a job in progress in its own transaction, with the run's row locked. */
async function withJob(
  { scope }: JobContext,
  { id, run_id }: Pick<JobRow, 'id' | 'run_id'>,
  work: (scope: WriteScope, run: RunRow, found: JobRow) => Promise<void>,
): Promise<void> {
  await runScope(scope).change(async (scope) => {
    const run = await findRunForUpdate(scope.tx, run_id);
    const found = await findJob(scope.tx, id);
    if (run && found && allowsJob(found, 'lose')) await work(scope, run, found);
  });
}

/** The maximum time that a job waits, in seconds. */
const longest = fixedValue(runLimits.waiting) / 1_000;

/** Ends jobs that have waited too long for their environments. */
export const endLongWaits = job<Record<string, never>, JobContext>({
  name: 'workflow-runs.end-long-waits',
  attempts: 1,
  schedule: { cron: '17 * * * *' },
  async run(_payload, { db, scope, now }) {
    const { change } = runScope(scope);
    for (const { id, run_id } of await listLongWaiting(db, addSeconds(now, -longest), jobsPerBatch))
      await change(async (scope) => {
        const run = await findRunForUpdate(scope.tx, run_id);
        const waiting = await findJob(scope.tx, id);
        if (!run || !waiting || !allowsJob(waiting, 'expire')) return;
        await transitionJob(scope, run, waiting, 'expire', { problem: 'Nobody let the job into its environment in time' });
        await advanceRunOf(scope, run.id);
      });
  },
});
