// Jobs whose runners are gone.
import type { WriteScope } from '#endpoint/scope.ts';
import type { Id } from '#lib/id.ts';
import { removeSpent } from '#resources/actions/runners/index.ts';
import { removeToken } from '#resources/identity/tokens/index.ts';
import { advanceRunOf } from '../planning/advance.ts';
import { allowsJob, transitionJob } from '../states/job-states.ts';
import { findJob, findRunForUpdate, type JobRow, listJobsOfRunner, type RunRow } from '../store.ts';
import type { TakenJob } from './claim.ts';
import { leaveJob } from './runner-reports.ts';

/**
 * Ends a job whose runner is gone. A job without any report never reached its runner, and is offered again unless it was
 * cancelled.
 * @param run its row, locked
 */
export async function giveUpJob(scope: WriteScope, run: RunRow, job: JobRow, problem: string): Promise<void> {
  if (job.heard_at === null && job.cancelled_at === null) return offerAgain(scope, run, job);
  await endLostJob(scope, run, job, problem);
}

/** Offers a job again immediately, since its runner disappeared before it got the job. */
export async function returnJob(scope: WriteScope, { job: { id, runner_id }, run: { id: runId } }: TakenJob): Promise<void> {
  const run = await findRunForUpdate(scope.tx, runId);
  const job = await findJob(scope.tx, id);
  if (run && job && allowsJob(job, 'lose') && job.runner_id === runner_id && job.heard_at === null)
    await giveUpJob(scope, run, job, 'Its runner was not there any more');
}

/** Ends a job that its runner didn't end. */
export async function endLostJob(scope: WriteScope, run: RunRow, job: JobRow, problem: string): Promise<void> {
  const to = job.cancelled_at === null ? 'failure' : 'cancelled';
  await leaveJob(scope.tx, await transitionJob(scope, run, job, 'lose', { to, problem: job.problem ?? problem }));
  if (job.runner_id !== null) await removeSpent(scope.tx, job.runner_id);
  await advanceRunOf(scope, run.id);
}

async function offerAgain(scope: WriteScope, run: RunRow, job: JobRow): Promise<void> {
  if (job.token_id !== null) await removeToken(scope.tx, job.token_id);
  await transitionJob(scope, run, job, 'offer_again');
}

/** Ends the jobs of a runner that is gone, or offers them again. */
export async function endJobsOf(scope: WriteScope, runner: Id<'runners'>, problem: string): Promise<void> {
  for (const { id, run_id } of await listJobsOfRunner(scope.tx, runner)) {
    const run = await findRunForUpdate(scope.tx, run_id);
    const job = await findJob(scope.tx, id);
    if (run && job && allowsJob(job, 'lose') && job.runner_id === runner) await giveUpJob(scope, run, job, problem);
  }
}
