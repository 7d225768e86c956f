import { allowsJob, type StateContext, transitionJob } from '../states/job-states.ts';
import type { JobRow, RunRow } from '../store.ts';

/** Cancels jobs: those that wait at once, and those that run when their runners hear of it. */
export async function cancelJobs(context: StateContext, run: RunRow, jobs: readonly JobRow[]): Promise<void> {
  for (const job of jobs) {
    if (allowsJob(job, 'cancel')) await transitionJob(context, run, job, 'cancel');
    else if (allowsJob(job, 'request_cancel') && job.cancelled_at === null)
      await transitionJob(context, run, job, 'request_cancel');
  }
}
