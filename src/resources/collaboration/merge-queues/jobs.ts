import type { JobContext } from '#endpoint/job-context.ts';
import { batchSubscription } from '#events/subscription.ts';
import { job } from '#jobs/job.ts';
import { gather, unique } from '#lib/collections.ts';
import { namedRepositories } from '#resources/repositories/repositories/index.ts';
import { advance } from './advance.ts';
import { advanceJob, enqueueAdvances } from './queue-jobs.ts';
import { listAllQueues, listQueues, listQueuesOf, type QueueKey } from './store.ts';

/** Does what a merge queue has to do now. Those of one queue run one after the other, on all servers. */
export const advanceQueue = job<QueueKey, JobContext>({ ...advanceJob, run: (key, context) => advance(context, key) });

/**
 * Has all queues advance: checks may be late, an entry may have waited long enough for more, somebody may have lost the right to
 * their entry, and a repository may take changes again.
 */
export const advanceWaiting = job<Record<string, never>, JobContext>({
  name: 'merge-queues.advance-waiting',
  attempts: 3,
  schedule: { cron: '* * * * *' },
  async run(_payload, { db, change }) {
    const queues = await listAllQueues(db);
    if (queues.length > 0) await change(({ tx }) => enqueueAdvances(tx, queues));
  },
});

/** What may let a queue go on, or keep it from doing so. */
const changing = [
  'push',
  'check_run.created',
  'check_run.completed',
  'commit_status.created',
  'deployment_status.created',
  'workflow_run.completed',
  'pull_request.closed',
  'pull_request.edited',
  'pull_request.synchronize',
  'pull_request.converted_to_draft',
  'pull_request_review.submitted',
  'pull_request_review.dismissed',
  'ruleset.created',
  'ruleset.edited',
  'ruleset.deleted',
] as const;

/** Has the queues of a repository advance when something happened that they may have waited for. */
export const advanceChanged = batchSubscription<(typeof changing)[number], JobContext>({
  name: 'merge-queues.advance-changed',
  on: changing,
  attempts: 25,
  async runAll(events, { change, db, scope }) {
    const found = await scope.load.all(namedRepositories, unique(gather(events, 'repository')));
    const queued = [...found.values()].filter(({ has_merge_queue }) => has_merge_queue);
    // Rulesets of organizations are those of many repositories.
    const owners = unique(events.flatMap(({ repository, owner }) => (repository === undefined ? owner : [])));
    if (queued.length === 0 && owners.length === 0) return;
    const queues = [...(await listQueues(db, gather(queued, 'id'))), ...(await listQueuesOf(db, owners))];
    if (queues.length > 0) await change(({ tx }) => enqueueAdvances(tx, queues));
  },
});
