// Matrices with a failed job.
import type { WriteScope } from '#endpoint/scope.ts';
import { grouped } from '#lib/collections.ts';
import { cancelJobs } from '../jobs/cancel.ts';
import { type JobRow, listJobsOfAttempt, type RunRow } from '../store.ts';
import { planOf } from './kept-plan.ts';
import { resultOfJob } from './progress.ts';

/**
 * Cancels the other jobs of a matrix with a failed job, unless the file says otherwise.
 * @returns the jobs of the attempt after the change
 */
export async function stopFailedMatrices(scope: WriteScope, run: RunRow): Promise<JobRow[]> {
  const jobs = await listJobsOfAttempt(scope.tx, run.id, run.attempt);
  let isChanged = false;
  const stop = async (stopped: readonly JobRow[]): Promise<void> => {
    await cancelJobs(scope, run, stopped);
    isChanged = true;
  };
  for (const [, matrix] of grouped(jobs, ({ key }) => key))
    if (matrix.some((job) => hasFailed(job) && planOf(job).failsFast)) await stop(matrix);
  // In a matrix of calls, a job that fails stops the other calls.
  for (const job of jobs)
    for (const call of hasFailed(job) ? planOf(job).calls : []) {
      if (call.combination === null || !call.failsFast) continue;
      const others = jobs.filter((one) => planOf(one).calls.some(({ key, index }) => key === call.key && index !== call.index));
      await stop(others);
    }
  return isChanged ? listJobsOfAttempt(scope.tx, run.id, run.attempt) : jobs;
}

/** Failures of an earlier attempt don't cancel jobs that run again. */
const hasFailed = (job: JobRow): boolean =>
  job.status === 'completed' && job.carried_from === null && resultOfJob(job).result === 'failure' && !planOf(job).isOptional;
