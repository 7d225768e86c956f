// What a job needs of others, and how these have ended.
import type { JobStatus } from './expressions.ts';
import type { WorkflowFile } from './file.ts';
import type { JobResult } from './plan.ts';

/** All jobs that a job needs, and those that these need. */
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

/** What `success()` and `failure()` say of a job (the public API's rule: all that it needs, and what that needs). */
export function statusOf(ancestors: ReadonlySet<string>, resultOfJob: (id: string) => JobResult | undefined): JobStatus {
  const found = new Set([...ancestors].map((id) => resultOfJob(id)?.result));
  if (found.has('failure')) return 'failure';
  if (found.has('cancelled')) return 'cancelled';
  return found.has('skipped') ? 'skipped' : 'success';
}
