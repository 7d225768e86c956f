// How jobs get their rows and their checks.
import type { Tx } from '#database/connect.ts';
import { asId } from '#lib/id.ts';
import { reserveRunIds } from '#resources/code/checks/index.ts';
import { createChecks } from '../states/checks.ts';
import { insertJobs, type JobRow, type RunRow } from '../store.ts';

export type NewJob = Parameters<typeof insertJobs>[1][number] & Pick<JobRow, 'status'>;

/**
 * Adds jobs to a run, each with a check of the same id, so that clients may take one for the other as in the public API. Jobs that are carried
 * into an attempt keep the checks that they have.
 */
export async function addJobs(context: { tx: Tx; now: Date }, run: RunRow, rows: readonly NewJob[]): Promise<JobRow[]> {
  if (rows.length === 0) return [];
  const ids = await reserveRunIds(context.tx, rows.length);
  const jobs = rows.map((row, at) => ({
    ...row,
    id: asId<'workflow_jobs'>(ids[at] ?? 0),
    conclusion: row.conclusion ?? null,
    problem: row.problem ?? null,
    problem_line: row.problem_line ?? null,
  }));
  const own = jobs.filter(({ carried_from }) => carried_from === undefined || carried_from === null);
  const checks = await createChecks(context, run, own);
  return insertJobs(
    context.tx,
    jobs.map((job) => ({ ...job, check_run_id: checks.get(job.id) ?? job.check_run_id ?? null })),
  );
}
