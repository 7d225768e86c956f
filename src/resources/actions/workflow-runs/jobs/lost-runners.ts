// Jobs whose runners are gone.
import { record } from '#events/record.ts';
import type { Id } from '#lib/id.ts';
import { notifyQueued, removeSpent } from '#resources/actions/runners/index.ts';
import { removeToken } from '#resources/identity/tokens/index.ts';
import { advanceRunOf, endJob, type ProgressContext } from '../planning/advance.ts';
import { inRun } from '../planning/kept-plan.ts';
import { queueCheck } from '../states/checks.ts';
import { noteDeployment } from '../states/deployments.ts';
import { findJob, findRunForUpdate, type JobRow, listJobsOfRunner, type RunRow, updateJob } from '../store.ts';
import type { TakenJob } from './claim.ts';
import { leaveJob } from './runner-reports.ts';

/**
 * Ends a job whose runner is gone. One of which nothing was ever heard never reached its runner: it is offered again, unless somebody has
 * cancelled it.
 * @param run its row, locked
 */
export async function giveUpJob(context: ProgressContext, run: RunRow, job: JobRow, problem: string): Promise<void> {
  if (job.heard_at === null && job.cancelled_at === null) return offerAgain(context, run, job);
  await endLostJob(context, run, job, problem);
}

/** Offers a job again at once whose runner wasn't there any more when it was to get it. */
export async function returnJob(
  context: ProgressContext,
  { job: { id, runner_id }, run: { id: runId } }: TakenJob,
): Promise<void> {
  const run = await findRunForUpdate(context.tx, runId);
  const job = await findJob(context.tx, id);
  if (run && job?.status === 'in_progress' && job.runner_id === runner_id && job.heard_at === null)
    await giveUpJob(context, run, job, 'Its runner was not there any more');
}

/** Ends a job that its runner doesn't end. */
export async function endLostJob(context: ProgressContext, run: RunRow, job: JobRow, problem: string): Promise<void> {
  const conclusion = job.cancelled_at === null ? ('failure' as const) : ('cancelled' as const);
  await leaveJob(context.tx, await endJob(context, run, job, { conclusion, problem: job.problem ?? problem }));
  if (job.runner_id !== null) await removeSpent(context.tx, job.runner_id);
  await advanceRunOf(context, run.id);
}

async function offerAgain({ tx, now }: ProgressContext, run: RunRow, job: JobRow): Promise<void> {
  if (job.token_id !== null) await removeToken(tx, job.token_id);
  const queued = await updateJob(tx, job.id, {
    status: 'queued',
    runner_id: null,
    runner_name: null,
    runner_os: null,
    runner_group_id: null,
    runner_group_name: null,
    hosted_runner_id: null,
    started_at: null,
    queued_at: now,
  });
  await queueCheck({ tx, now }, run, queued);
  await noteDeployment({ tx, now }, run, queued, { state: 'queued', description: 'Waiting for a runner' });
  await record(tx, { ...inRun(run, now), kind: 'workflow_job.queued', data: { run: run.id, job: job.id } });
  notifyQueued(tx);
}

/** Ends the jobs of a runner that is gone, or offers them again. */
export async function endJobsOf(context: ProgressContext, runner: Id<'runners'>, problem: string): Promise<void> {
  for (const { id, run_id } of await listJobsOfRunner(context.tx, runner)) {
    const run = await findRunForUpdate(context.tx, run_id);
    const job = await findJob(context.tx, id);
    if (run && job?.status === 'in_progress' && job.runner_id === runner) await giveUpJob(context, run, job, problem);
  }
}
