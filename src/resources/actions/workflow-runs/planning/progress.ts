// The progress of an attempt, in the form that the plan needs.
import { grouped } from '#lib/collections.ts';
import { type JobResult, type Progress, resultOf } from '#workflow-files/plan.ts';
import { environmentUrlOutput } from '#workflow-files/runner-job.ts';
import type { JobRow } from '../store.ts';
import { planOf } from './kept-plan.ts';

/** Which jobs were created, and the results of those that are over. */
export function progressOf(jobs: readonly JobRow[]): Pick<Progress, 'made' | 'results'> {
  const byKey = grouped(jobs, ({ key }) => key);
  return { made: new Set(byKey.keys()), results: resultsOf(byKey) };
}

/** The results of the jobs of each id, if all of them are over. */
function resultsOf(byKey: ReadonlyMap<string, readonly JobRow[]>): Map<string, JobResult> {
  const over = [...byKey].filter(([, jobs]) => jobs.every(({ status }) => status === 'completed'));
  return new Map(over.map(([key, jobs]) => [key, resultOf(jobs.map(resultOfJob))]));
}

export const resultOfJob = (job: JobRow): JobResult & { isOptional: boolean } => ({
  result: results[job.conclusion ?? 'cancelled'],
  outputs: ownOutputs(job),
  isOptional: planOf(job).isOptional,
});

/** The values that a job's file provides to other jobs. */
function ownOutputs({ outputs }: JobRow): { [name: string]: string } {
  const { [environmentUrlOutput]: _, ...own } = outputs as { [name: string]: string };
  return own;
}

const results = {
  success: 'success',
  neutral: 'success',
  failure: 'failure',
  timed_out: 'failure',
  action_required: 'failure',
  cancelled: 'cancelled',
  skipped: 'skipped',
} as const;
