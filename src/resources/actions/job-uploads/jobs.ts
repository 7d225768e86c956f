import type { JobContext } from '#endpoint/job-context.ts';
import { job } from '#jobs/job.ts';
import { dropUpload } from './rules.ts';
import { listAbandoned } from './store.ts';

/** Removes objects that no row refers to. */
export const removeObjects = job<{ keys: readonly string[] }, JobContext>({
  name: 'job-uploads.remove-objects',
  attempts: 25,
  async run({ keys }, { services: { objects } }) {
    for (const key of keys) await objects.remove(key);
  },
});

const uploadsPerBatch = 500;

/** Drops the uploads of jobs that ended without completing them. */
export const dropAbandoned = job<Record<string, never>, JobContext>({
  name: 'job-uploads.drop-abandoned',
  attempts: 3,
  schedule: { cron: '*/10 * * * *' },
  async run(_payload, { db, change }: JobContext) {
    for (const id of await listAbandoned(db, uploadsPerBatch)) await change((scope) => dropUpload(scope, id));
  },
});
