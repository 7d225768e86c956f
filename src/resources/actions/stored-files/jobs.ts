import type { JobContext } from '#endpoint/job-context.ts';
import { job } from '#jobs/job.ts';
import { addMinutes } from '#lib/time.ts';
import type { Family } from '#resources/family.ts';

/** An object is written before its row, so recent objects are left alone. Objects of an import get more time. */
const patienceMinutes = 60;

/** Removes objects that no family refers to, for example after a process crashed, and the remains of interrupted uploads. */
export const tidyFiles = (families: readonly Family[]) =>
  job<Record<string, never>, JobContext>({
    name: 'stored-files.tidy',
    attempts: 3,
    schedule: { cron: '17 * * * *' },
    async run(_payload, { db, services: { objects }, stopping }) {
      // The times of files come from the machine's clock, so the server's configured clock doesn't apply.
      const before = addMinutes(new Date(), -patienceMinutes);
      const knowing = families.flatMap(({ loadKnownObjects = [] }) => loadKnownObjects);
      for await (const batch of objects.list()) {
        stopping?.throwIfAborted();
        let unknown = batch.filter(({ modified }) => modified < before).map(({ group, name }) => `${group}/${name}`);
        for (const loadKnown of knowing) {
          if (unknown.length === 0) break;
          const known = await loadKnown(db, unknown);
          unknown = unknown.filter((key) => !known.has(key));
        }
        for (const key of unknown) await objects.remove(key);
      }
    },
  });
