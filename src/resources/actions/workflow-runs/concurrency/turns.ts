// What happens to runs, jobs and calls of workflows when it is their turn in a concurrency group, or when another member cancels
// them.
import type { WriteScope } from '#endpoint/scope.ts';
import { cancelJobs } from '../jobs/cancel.ts';
import { advanceRun, advanceRunOf } from '../planning/advance.ts';
import { runScope } from '../planning/contexts.ts';
import { turnOf } from '../planning/kept-plan.ts';
import { cancelRun } from '../runs/cancel.ts';
import { allowsJob, transitionJob } from '../states/job-states.ts';
import { allowsRun, transitionRun } from '../states/run-states.ts';
import { findJob, findRunForUpdate, listJobsOfAttempt, type RunRow } from '../store.ts';
import type { Turns } from './groups.ts';
import { cancelCallMember, type MemberRow } from './store.ts';

/** The effect on each kind of member when its turn comes, or when it is cancelled. */
export const turns: Turns = {
  async begin({ scope }, { run_id, job_id, call_key }) {
    await runScope(scope).change(async (scope) => {
      const run = await findRunForUpdate(scope.tx, run_id);
      if (call_key !== null) {
        if (run) await advanceRun(scope, run);
        return;
      }
      if (job_id === null) {
        if (!run || !allowsRun(run, 'take_turn')) return;
        await advanceRun(scope, await transitionRun(scope, run, 'take_turn'));
        return;
      }
      const job = await findJob(scope.tx, job_id);
      if (run && job && allowsJob(job, turnOf(job))) {
        await transitionJob(scope, run, job, turnOf(job));
        await advanceRun(scope, run);
      }
    });
  },
  async cancel({ scope }, member) {
    const { run_id, job_id, call_key } = member;
    await runScope(scope).change(async (scope) => {
      const run = await findRunForUpdate(scope.tx, run_id);
      if (!run || run.status === 'completed') return;
      if (call_key !== null) await cancelCall(scope, run, member, call_key);
      else if (job_id === null) await cancelRun(scope, run);
      else {
        const job = await findJob(scope.tx, job_id);
        if (job) await cancelJobs(scope, run, [job]);
        await advanceRunOf(scope, run.id);
      }
    });
  },
};

/** Cancels a call of a workflow. Its jobs are cancelled like the jobs of a run. */
async function cancelCall(scope: WriteScope, run: RunRow, member: MemberRow, key: string): Promise<void> {
  if (!(await cancelCallMember(scope.tx, member))) return;
  const prefix = key.replace(/\/?$/, '/');
  const jobs = await listJobsOfAttempt(scope.tx, run.id, run.attempt);
  await cancelJobs(
    scope,
    run,
    jobs.filter((job) => job.key.startsWith(prefix)),
  );
  await advanceRun(scope, run);
}
