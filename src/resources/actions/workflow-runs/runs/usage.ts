// The time that jobs have run, by the operating systems of their runners.
import type { WorkflowRunUsage, WorkflowUsage } from '../schemas.ts';
import type { JobRow, RunSummary } from '../store.ts';

const systems = { linux: 'UBUNTU', windows: 'WINDOWS', darwin: 'MACOS', macos: 'MACOS' } as const;

const systemOf = (os: string) => (Object.hasOwn(systems, os) ? systems[os as keyof typeof systems] : 'UBUNTU');

/**
 * The times of the jobs in a run's latest attempt that had runners, and of the attempt itself once it is over. In milliseconds.
 */
export function presentRunUsage(run: RunSummary, jobs: readonly JobRow[]): WorkflowRunUsage {
  const billable: WorkflowRunUsage['billable'] = {};
  for (const { id, runner_os, started_at, completed_at, carried_from } of jobs) {
    if (runner_os === null || started_at === null || completed_at === null || carried_from !== null) continue;
    const duration_ms = Math.max(0, completed_at.getTime() - started_at.getTime());
    const system = systemOf(runner_os);
    const before = billable[system] ?? { total_ms: 0, jobs: 0, job_runs: [] };
    billable[system] = {
      total_ms: before.total_ms + duration_ms,
      jobs: before.jobs + 1,
      job_runs: [...before.job_runs, { job_id: id, duration_ms }],
    };
  }
  const { status, started_at, updated_at } = run;
  return { billable, ...(status === 'completed' ? { run_duration_ms: updated_at.getTime() - started_at.getTime() } : {}) };
}

/** The times of a workflow's jobs. */
export function presentUsage(times: readonly { runner_os: string; time: number }[]): WorkflowUsage {
  const billable: WorkflowUsage['billable'] = {};
  for (const { runner_os, time } of times) {
    const system = systemOf(runner_os);
    billable[system] = { total_ms: (billable[system]?.total_ms ?? 0) + time };
  }
  return { billable };
}

/** The start of the month. A workflow's times are summed from then on. */
export const beginningOfMonth = (now: Date): Date => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1));
