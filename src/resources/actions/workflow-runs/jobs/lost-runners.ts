// Jobs whose runners are gone.
import type { Id } from '#lib/id.ts';
import { removeSpent } from '#resources/actions/runners/index.ts';
import { removeToken } from '#resources/identity/tokens/index.ts';
import { advanceRunOf, type ProgressContext } from '../planning/advance.ts';
import { allowsJob, transitionJob } from '../states/job-states.ts';
import { findJob, findRunForUpdate, type JobRow, listJobsOfRunner, type RunRow } from '../store.ts';
import type { TakenJob } from './claim.ts';
import { leaveJob } from './runner-reports.ts';

/**
 * Ends a job whose runner is gone. A job without any report never reached its runner: it is offered again, unless somebody has
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
  if (run && job && allowsJob(job, 'lose') && job.runner_id === runner_id && job.heard_at === null)
    await giveUpJob(context, run, job, 'Its runner was not there any more');
}

/** Ends a job that its runner doesn't end. */
export async function endLostJob(context: ProgressContext, run: RunRow, job: JobRow, problem: string): Promise<void> {
  const to = job.cancelled_at === null ? 'failure' : 'cancelled';
  await leaveJob(context.tx, await transitionJob(context, run, job, 'lose', { to, problem: job.problem ?? problem }));
  if (job.runner_id !== null) await removeSpent(context.tx, job.runner_id);
  await advanceRunOf(context, run.id);
}

async function offerAgain(context: ProgressContext, run: RunRow, job: JobRow): Promise<void> {
  if (job.token_id !== null) await removeToken(context.tx, job.token_id);
  await transitionJob(context, run, job, 'offer_again');
}

/** Ends the jobs of a runner that is gone, or offers them again. */
export async function endJobsOf(context: ProgressContext, runner: Id<'runners'>, problem: string): Promise<void> {
  for (const { id, run_id } of await listJobsOfRunner(context.tx, runner)) {
    const run = await findRunForUpdate(context.tx, run_id);
    const job = await findJob(context.tx, id);
    if (run && job && allowsJob(job, 'lose') && job.runner_id === runner) await giveUpJob(context, run, job, problem);
  }
}
