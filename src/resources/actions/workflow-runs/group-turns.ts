// What becomes of runs, jobs and calls of workflows when it is their turn in a concurrency group, or when another one cancels them.
import { linksOf } from '#endpoint/links.ts';
import { notifyQueued } from '#resources/actions/runners/index.ts';
import type { Turns } from './concurrency.ts';
import { cancelCallMember, type MemberRow } from './concurrency-store.ts';
import { addressOf } from './contexts.ts';
import { planOf } from './planned.ts';
import { advanceRun, advanceRunOf, cancelJobs, cancelRun, type ProgressContext, queueJob } from './progress.ts';
import { findJob, findRunForUpdate, listJobsOfAttempt, type RunRow, updateJob, updateRun } from './store.ts';

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
        if (run?.status !== 'pending') return;
        notifyQueued(scope.tx); // an attempt may have jobs from its beginning
        await advanceRun(context, await updateRun(scope.tx, run_id, { status: 'queued', updated_at: now }));
        return;
      }
      const job = await findJob(scope.tx, job_id);
      if (job?.status === 'pending' && run) {
        if (planOf(job).environment) await updateJob(scope.tx, job.id, { status: 'waiting' });
        else await queueJob(context, run, job);
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

/** Cancels a call of a workflow: its jobs as those of a run. */
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
