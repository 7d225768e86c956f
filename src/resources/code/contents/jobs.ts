import type { JobContext } from '#endpoint/job-context.ts';
import { batchSubscription } from '#events/subscription.ts';
import { job } from '#jobs/job.ts';
import { defaultBranchChanges, listWithChangedDefaultBranch } from '#resources/repositories/repositories/index.ts';
import { measureRepository, measureUnmeasured } from './measure.ts';

/** Measures the present default branch after a push or an import. */
export const measureFiles = batchSubscription<(typeof defaultBranchChanges)[number], JobContext>({
  name: 'contents.measure',
  on: defaultBranchChanges,
  attempts: 25,
  async runAll(events, { scope }) {
    for (const repository of await listWithChangedDefaultBranch(scope, events)) await measureRepository(scope, repository);
  },
});

/** Measures repositories without measurements, for example after an upgrade or a failure. */
export const measureMissing = job<object, JobContext>({
  name: 'contents.measure-rest',
  attempts: 1,
  schedule: { cron: '53 * * * *', atStart: true },
  async run(_payload, { scope, log, stopping }) {
    const repositories = await measureUnmeasured(scope, (error, repository) => {
      stopping?.throwIfAborted();
      log.error({ err: error, repository }, 'the files of a default branch could not be measured');
    });
    if (repositories > 0) log.info({ repositories }, 'measured the files of default branches');
  },
});
