import type { Services } from '#endpoint/services.ts';
import { subscription } from '#events/subscription.ts';
import { job } from '#jobs/job.ts';
import { measureBranch, measureUnmeasured } from './measure.ts';

/** Measures the default branch after a push or an import. It reads the current state, so one run covers all waiting pushes. */
export const measureFiles = subscription<'push' | 'repository.imported' | 'repository.default_branch_changed', Services>({
  name: 'contents.measure',
  on: ['push', 'repository.imported', 'repository.default_branch_changed'],
  attempts: 25,
  key: ({ repository }) => String(repository),
  async run({ repository }, { services: { git }, ...context }) {
    if (repository !== undefined) await measureBranch({ ...context, git }, repository);
  },
});

/** Measures repositories that weren't measured, as after an upgrade or a failure. */
export const measureMissing = job<object, Services>({
  name: 'contents.measure-rest',
  attempts: 1,
  schedule: { cron: '53 * * * *', atStart: true },
  async run(_payload, { services: { git }, log, stopping, ...context }) {
    const repositories = await measureUnmeasured({ ...context, git }, (error, repository) => {
      stopping?.throwIfAborted();
      log.error({ err: error, repository }, 'the files of a default branch could not be measured');
    });
    if (repositories > 0) log.info({ repositories }, 'measured the files of default branches');
  },
});
