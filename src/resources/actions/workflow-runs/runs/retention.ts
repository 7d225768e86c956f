// How long logs and runs are kept.

import type { Db } from '#database/connect.ts';
import type { JobContext } from '#endpoint/job-context.ts';
import { job } from '#jobs/job.ts';
import { gather } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import { gone, notFound, type Refusal } from '#lib/refusal.ts';
import { addSeconds } from '#lib/time.ts';
import { loadActionsPolicy } from '#resources/repositories/actions-permissions/index.ts';
import { loadNamedRepositories } from '#resources/repositories/repositories/index.ts';
import { runLimits } from '../limits.ts';
import { type EndedBefore, listOldRuns, listRepositoriesWithOldLogs, type RunSummary } from '../store.ts';
import { deleteOldRun, expireLogs } from './delete.ts';

const day = 24 * 60 * 60;
const runsPerBatch = 200;
const repositoriesPerBatch = 200;
const longest = fixedValue(runLimits.runAge) / 1_000;

/** Deletes logs that exceed the retention time of their repository, and runs that exceed the maximum for all. */
export const expireRuns = job<Record<string, never>, JobContext>({
  name: 'workflow-runs.expire',
  attempts: 1,
  schedule: { cron: '43 3 * * *', atStart: true },
  async run(_payload, { db, change, now }: JobContext) {
    const oldest = { before: addSeconds(now, -longest) };
    await eachOld(db, oldest, (id) => change((scope) => deleteOldRun(scope.tx, id, oldest.before)));
    const before = addSeconds(now, -day);
    for (let after = 0; ; ) {
      const ids = await listRepositoriesWithOldLogs(db, { before, after, limit: repositoriesPerBatch });
      const repositories = await loadNamedRepositories(db, ids);
      for (const { id, owner_id } of repositories.values()) {
        const { retentionDays } = await loadActionsPolicy(db, { id, owner_id });
        const wanted = { before: addSeconds(now, -retentionDays * day), withLogsIn: id };
        await eachOld(db, wanted, (run) => change((scope) => expireLogs(scope.tx, run, { before: wanted.before, now })));
      }
      const last = ids.at(-1);
      if (last === undefined || ids.length < repositoriesPerBatch) return;
      after = last;
    }
  },
});

/** Calls a function for each run that ended before a given time. */
async function eachOld(db: Db, wanted: EndedBefore, work: (run: Id<'workflow_runs'>) => Promise<void>): Promise<void> {
  for (let after = 0; ; ) {
    const ids = gather(await listOldRuns(db, wanted, { after, limit: runsPerBatch }), 'id');
    for (const id of ids) await work(id);
    const last = ids.at(-1);
    if (last === undefined || ids.length < runsPerBatch) return;
    after = last;
  }
}

/** The refusal for missing logs. */
export const noLogs = (run: Pick<RunSummary, 'logs_expired_at'> | undefined): Refusal =>
  run?.logs_expired_at ? gone('The logs have expired and are no longer available') : notFound();
