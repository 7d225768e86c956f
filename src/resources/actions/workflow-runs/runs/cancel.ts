// Stopping runs.
import type { Id } from '#lib/id.ts';
import { conflict, orNotFound } from '#lib/refusal.ts';
import { cancelJobs } from '../jobs/cancel.ts';
import { leaveJob } from '../jobs/runner-reports.ts';
import { advanceRun, type ProgressContext } from '../planning/advance.ts';
import { allowsJob, transitionJob } from '../states/job-states.ts';
import { allowsRun, transitionRun } from '../states/run-states.ts';
import { findRunForUpdate, listJobsOfAttempt, type RunRow } from '../store.ts';

type Run = Id<'workflow_runs'>;

/**
 * Cancels a run: its jobs that wait end at once, and those that run when their runners hear of it. Those with `always()` still
 * come.
 */
export async function cancelRun(context: ProgressContext, run: RunRow): Promise<RunRow> {
  const { tx } = context;
  if (allowsRun(run, 'cancel')) {
    await cancelJobs(context, run, await listJobsOfAttempt(tx, run.id, run.attempt));
    return transitionRun(context, run, 'cancel');
  }
  if (!allowsRun(run, 'request_cancel')) return run;
  const to = run.status === 'in_progress' ? 'in_progress' : 'queued';
  const cancelled = await transitionRun(context, run, 'request_cancel', { to });
  await cancelJobs(context, cancelled, await listJobsOfAttempt(tx, run.id, run.attempt));
  return advanceRun(context, cancelled);
}

/** Cancels a run. Jobs that are to run in any case still come. @throws Refusal 409 for one that is over */
export async function stopRun(context: ProgressContext, id: Run): Promise<void> {
  await cancelRun(context, await findOpen(context, id));
}

/**
 * Ends a run with all its jobs at once; their runners hear of it when they next tell of them. @throws Refusal 409 for one that is
 * over
 */
export async function forceStopRun(context: ProgressContext, id: Run): Promise<void> {
  const { tx } = context;
  const run = await findOpen(context, id);
  for (const job of await listJobsOfAttempt(tx, run.id, run.attempt)) {
    if (!allowsJob(job, 'force_cancel')) continue;
    const ended = await transitionJob(context, run, job, 'force_cancel');
    if (job.status === 'in_progress') await leaveJob(tx, ended);
  }
  await transitionRun(context, run, 'force_cancel');
}

async function findOpen({ tx }: ProgressContext, id: Run): Promise<RunRow> {
  const run = orNotFound(await findRunForUpdate(tx, id));
  if (!allowsRun(run, 'force_cancel')) throw conflict('Cannot cancel a workflow run that is completed.');
  return run;
}
