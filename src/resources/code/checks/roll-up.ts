import { type CheckConclusion, type CheckStatus, conclusions } from './schemas.ts';
import type { RunCount } from './store.ts';

type RolledUp = { status: CheckStatus; conclusion: CheckConclusion | null; latest_runs_count: number };

/**
 * What the latest runs of a suite say together (decision 35). A suite is completed when all of them are; its conclusion is then
 * the one that outweighs the others. Until then it is in progress, or queued as long as no run has begun.
 */
export function rollUp(runs: readonly RunCount[]): RolledUp {
  const latest_runs_count = runs.reduce((sum, { count }) => sum + count, 0);
  const conclusion = conclusions.find((one) => runs.some((run) => run.conclusion === one)) ?? null;
  if (runs.every(({ status }) => status === 'queued')) return { status: 'queued', conclusion: null, latest_runs_count };
  const isComplete = runs.every(({ status }) => status === 'completed');
  return isComplete
    ? { status: 'completed', conclusion, latest_runs_count }
    : { status: 'in_progress', conclusion: null, latest_runs_count };
}
