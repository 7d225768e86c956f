// A job's needs, and their results.
import type { JobStatus } from './expressions.ts';
import type { WorkflowFile } from './file.ts';
import type { JobResult } from './plan.ts';

/** All jobs that a job needs, directly or indirectly. */
export function ancestorsOf(file: WorkflowFile, id: string): Set<string> {
  const found = new Set<string>();
  const visit = (job: string): void => {
    for (const need of file.jobs.get(job)?.needs ?? []) {
      if (found.has(need)) continue;
      found.add(need);
      visit(need);
    }
  };
  visit(id);
  return found;
}

/** The result of `success()` and `failure()` for a job (the public API's rule: all direct and indirect needs count). */
export function statusOf(ancestors: ReadonlySet<string>, resultOfJob: (id: string) => JobResult | undefined): JobStatus {
  const found = new Set([...ancestors].map((id) => resultOfJob(id)?.result));
  if (found.has('failure')) return 'failure';
  if (found.has('cancelled')) return 'cancelled';
  return found.has('skipped') ? 'skipped' : 'success';
}
