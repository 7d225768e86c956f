import type { WriteScope } from '#endpoint/scope.ts';
import { allowsJob, transitionJob } from '../states/job-states.ts';
import type { JobRow, RunRow } from '../store.ts';

/** Cancels jobs. Waiting jobs end immediately; running jobs end when their runners learn of it. */
export async function cancelJobs(scope: WriteScope, run: RunRow, jobs: readonly JobRow[]): Promise<void> {
  for (const job of jobs) {
    if (allowsJob(job, 'cancel')) await transitionJob(scope, run, job, 'cancel');
    else if (allowsJob(job, 'request_cancel') && job.cancelled_at === null)
      await transitionJob(scope, run, job, 'request_cancel');
  }
}
