// The maximum number of jobs of a plan, and their total size.

import { fixedValue } from '#lib/limits.ts';
import { workflowFileLimits } from './limits.ts';
import type { PlannedJob } from './plan.ts';

const maxJobs = fixedValue(workflowFileLimits.runJobs);
const maxBytes = fixedValue(workflowFileLimits.planBytes);
const mebi = 1024 * 1024;

/** Ends a plan, since nested matrices of calls multiply, and so do the parts of their jobs. */
export class PlanTooLarge extends Error {}

export const tooManyJobs = `A run has at most ${maxJobs} jobs`;

/** The plan so far. */
type PartOfPlan = {
  readonly jobs: readonly PlannedJob[];
  readonly held: readonly string[];
  /** The size of the jobs, with the inputs of the calls that lead to them. */
  bytes: number;
};

/**
 * Counts the next jobs of a plan. A call that waits for its turn counts as at least one job.
 * @throws PlanTooLarge
 */
export function countJobs(plan: PartOfPlan, next: readonly PlannedJob[], callBytes: number): void {
  if (plan.jobs.length + next.length + plan.held.length > maxJobs) throw new PlanTooLarge(tooManyJobs);
  plan.bytes += next.length * callBytes;
  for (const { name, labels, group, environment, concurrency, combination } of next) {
    plan.bytes += Buffer.byteLength(JSON.stringify([name, labels, group, environment, concurrency, combination]));
    if (plan.bytes > maxBytes)
      throw new PlanTooLarge(
        `The jobs that the run makes have names, labels, inputs and values of more than ${maxBytes / mebi} MiB`,
      );
  }
}
