import type { JobContext } from '#endpoint/job-context.ts';
import { batchSubscription } from '#events/subscription.ts';
import { job } from '#jobs/job.ts';
import { updateLastActive } from '#resources/actions/hosted-runners/index.ts';
import { loadJobs } from '#resources/actions/workflow-runs/index.ts';
import { reviewPrograms, runsHostedJobs, startPrograms } from './rules.ts';

/** Starts programs when jobs wait or others have ended, and records when hosted runners were active. */
export const followJobs = batchSubscription<
  'workflow_job.queued' | 'workflow_job.in_progress' | 'workflow_job.completed',
  JobContext
>({
  name: 'hosted-jobs.follow',
  on: ['workflow_job.queued', 'workflow_job.in_progress', 'workflow_job.completed'],
  attempts: 5,
  async runAll(events, context) {
    const { db, change, services } = context;
    if (!runsHostedJobs(services)) return;
    const jobs = await loadJobs(
      db,
      events.map(({ data }) => data.job),
    );
    const active = events.flatMap(({ kind, data, at }) => {
      const runner = jobs.get(data.job)?.hosted_runner_id ?? null;
      return kind === 'workflow_job.queued' || runner === null ? [] : [{ runner, at }];
    });
    if (active.length > 0) await change((scope) => updateLastActive(scope.tx, active));
    if (events.some(({ kind }) => kind !== 'workflow_job.in_progress')) await startPrograms(context);
  },
});

/** Once a minute, finds programs that have ended, and starts programs for jobs that still wait. */
export const watchPrograms = job<Record<string, never>, JobContext>({
  name: 'hosted-jobs.watch',
  attempts: 1,
  schedule: { cron: '* * * * *', atStart: true },
  async run(_payload, context) {
    if (!runsHostedJobs(context.services)) return;
    await reviewPrograms(context);
    await startPrograms(context);
  },
});
