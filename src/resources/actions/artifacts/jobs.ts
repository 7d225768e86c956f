import type { JobContext } from '#endpoint/job-context.ts';
import { job } from '#jobs/job.ts';
import { repeatWhile } from '#jobs/repeat.ts';
import { expireArtifacts } from './store.ts';

const artifactsPerBatch = 500;

/** Removes the bytes of expired artifacts. Their rows stay, so that a run still lists its artifacts. */
export const removeExpired = job<Record<string, never>, JobContext>({
  name: 'artifacts.remove-expired',
  attempts: 3,
  schedule: { cron: '23 * * * *', atStart: true },
  async run(_payload, { change, services: { objects }, now, stopping }) {
    await repeatWhile({ stopping }, async () => {
      const keys = await change((scope) => expireArtifacts(scope.tx, now, artifactsPerBatch));
      for (const key of keys) await objects.remove(key);
      return keys.length === artifactsPerBatch;
    });
  },
});
