// What becomes of runs, jobs and calls of workflows when it is their turn in a concurrency group, or when another one cancels
// them.
import { linksOf } from '#endpoint/links.ts';
import { cancelJobs } from '../jobs/cancel.ts';
import { advanceRun, advanceRunOf, type ProgressContext } from '../planning/advance.ts';
import { addressOf } from '../planning/contexts.ts';
import { turnOf } from '../planning/kept-plan.ts';
import { cancelRun } from '../runs/cancel.ts';
import { allowsJob, transitionJob } from '../states/job-states.ts';
import { allowsRun, transitionRun } from '../states/run-states.ts';
import { findJob, findRunForUpdate, listJobsOfAttempt, type RunRow } from '../store.ts';
import type { Turns } from './groups.ts';
import { cancelCallMember, type MemberRow } from './store.ts';

/** What members of concurrency groups do when it is their turn, or another's. */
export const turns: Turns = {
  async begin({ change, services, now }, { run_id, job_id, call_key }) {
    await change(async (scope) => {
      const run = await findRunForUpdate(scope.tx, run_id);
      const context = { tx: scope.tx, links: linksOf(addressOf(services)), now };
      if (call_key !== null) {
        if (run) await advanceRun(context, run);
        return;
      }
      if (job_id === null) {
        if (!run || !allowsRun(run, 'take_turn')) return;
        await advanceRun(context, await transitionRun(context, run, 'take_turn'));
        return;
      }
      const job = await findJob(scope.tx, job_id);
      if (run && job && allowsJob(job, turnOf(job))) {
        await transitionJob(context, run, job, turnOf(job));
        await advanceRun(context, run);
      }
    });
  },
  async cancel({ change, services, now }, member) {
    const { run_id, job_id, call_key } = member;
    await change(async (scope) => {
      const run = await findRunForUpdate(scope.tx, run_id);
      const context = { tx: scope.tx, links: linksOf(addressOf(services)), now };
      if (!run || run.status === 'completed') return;
      if (call_key !== null) await cancelCall(context, run, member, call_key);
      else if (job_id === null) await cancelRun(context, run);
      else {
        const job = await findJob(scope.tx, job_id);
        if (job) await cancelJobs(context, run, [job]);
        await advanceRunOf(context, run.id);
      }
    });
  },
};

/** Cancels a call of a workflow: its jobs are cancelled like a run's. */
async function cancelCall(context: ProgressContext, run: RunRow, member: MemberRow, key: string): Promise<void> {
  if (!(await cancelCallMember(context.tx, member))) return;
  const prefix = key.replace(/\/?$/, '/');
  const jobs = await listJobsOfAttempt(context.tx, run.id, run.attempt);
  await cancelJobs(
    context,
    run,
    jobs.filter((job) => job.key.startsWith(prefix)),
  );
  await advanceRun(context, run);
}
