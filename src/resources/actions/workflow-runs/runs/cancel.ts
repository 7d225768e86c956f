// Cancelling runs.
import type { WriteScope } from '#endpoint/scope.ts';
import type { Id } from '#lib/id.ts';
import { conflict, orNotFound } from '#lib/refusal.ts';
import { cancelJobs } from '../jobs/cancel.ts';
import { leaveJob } from '../jobs/runner-reports.ts';
import { advanceRun } from '../planning/advance.ts';
import { allowsJob, transitionJob } from '../states/job-states.ts';
import { allowsRun, transitionRun } from '../states/run-states.ts';
import { findRunForUpdate, listJobsOfAttempt, type RunRow } from '../store.ts';

type Run = Id<'workflow_runs'>;

/**
 * Cancels a run. Waiting jobs end immediately; running jobs end when their runners learn of it. Jobs with `always()` still run.
 */
export async function cancelRun(scope: WriteScope, run: RunRow): Promise<RunRow> {
  const { tx } = scope;
  if (allowsRun(run, 'cancel')) {
    await cancelJobs(scope, run, await listJobsOfAttempt(tx, run.id, run.attempt));
    return transitionRun(scope, run, 'cancel');
  }
  if (!allowsRun(run, 'request_cancel')) return run;
  const to = run.status === 'in_progress' ? 'in_progress' : 'queued';
  const cancelled = await transitionRun(scope, run, 'request_cancel', { to });
  await cancelJobs(scope, cancelled, await listJobsOfAttempt(tx, run.id, run.attempt));
  return advanceRun(scope, cancelled);
}

/** Cancels a run. Jobs that always run still follow. @throws Refusal 409 if it is over */
export async function stopRun(scope: WriteScope, id: Run): Promise<void> {
  await cancelRun(scope, await findOpen(scope, id));
}

/**
 * Ends a run with all its jobs immediately. The runners learn of it with their next reports.
 * @throws Refusal 409 if it is over
 */
export async function forceStopRun(scope: WriteScope, id: Run): Promise<void> {
  const { tx } = scope;
  const run = await findOpen(scope, id);
  for (const job of await listJobsOfAttempt(tx, run.id, run.attempt)) {
    if (!allowsJob(job, 'force_cancel')) continue;
    const ended = await transitionJob(scope, run, job, 'force_cancel');
    if (job.status === 'in_progress') await leaveJob(tx, ended);
  }
  await transitionRun(scope, run, 'force_cancel');
}

async function findOpen({ tx }: WriteScope, id: Run): Promise<RunRow> {
  const run = orNotFound(await findRunForUpdate(tx, id));
  if (!allowsRun(run, 'force_cancel')) throw conflict('Cannot cancel a workflow run that is completed.');
  return run;
}
