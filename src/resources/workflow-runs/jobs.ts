import { linksOf } from '#endpoint/links.ts';
import type { Services } from '#endpoint/services.ts';
import { job } from '#jobs/job.ts';
import { addSeconds } from '#lib/time.ts';
import { notifyQueued } from '#resources/runners/index.ts';
import { removeToken } from '#resources/tokens/index.ts';
import { unknownAddress } from './contexts.ts';
import { advanceRunOf, endJob } from './progress.ts';
import { findJob, findRunForUpdate, listSilentJobs, updateJob } from './store.ts';
import { leaveJob } from './updates.ts';

const jobsAtOnce = 500;
/** A job of which nothing was ever heard was lost on its way to its runner: it is offered again after this time, in seconds. */
const unheard = 60;

/** Ends the jobs of runners that are gone, and offers those again that never reached one. */
export const endSilentJobs = job<Record<string, never>, Services>({
  name: 'workflow-runs.end-silent',
  attempts: 1,
  schedule: { cron: '* * * * *', atStart: true },
  async run(_payload, { db, change, services, now }) {
    const lost = addSeconds(now, -services.resourceLimits.workflows.silence / 1_000);
    const before = addSeconds(now, -Math.min(unheard, services.resourceLimits.workflows.silence / 1_000));
    const links = linksOf(services.url ?? unknownAddress);
    for (const { id, run_id } of await listSilentJobs(db, { before, limit: jobsAtOnce }))
      await change(async (tx) => {
        const run = await findRunForUpdate(tx, run_id);
        const silent = await findJob(tx, id);
        if (!run || silent?.status !== 'in_progress') return;
        if (silent.heard_at === null && silent.cancelled_at === null) {
          if (silent.token_id !== null) await removeToken(tx, silent.token_id);
          await updateJob(tx, id, {
            status: 'queued',
            runner_id: null,
            runner_name: null,
            runner_group_id: null,
            runner_group_name: null,
            started_at: null,
          });
          notifyQueued(tx);
        } else if (silent.heard_at === null || silent.heard_at < lost) {
          const context = { tx, links, now };
          const conclusion = silent.cancelled_at === null ? ('failure' as const) : ('cancelled' as const);
          await leaveJob(tx, await endJob(context, run, silent, { conclusion, problem: 'The runner was not heard of any more' }));
          await advanceRunOf(context, run.id);
        }
      });
  },
});
