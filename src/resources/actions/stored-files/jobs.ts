import type { JobContext } from '#endpoint/job-context.ts';
import { job } from '#jobs/job.ts';
import { addMinutes } from '#lib/time.ts';
import type { Family } from '#resources/family.ts';

/**
 * An object is written before its row: as long as one may be under way, it is left alone. That of an import may be so for longer.
 */
const patienceMinutes = 60;

/** Removes objects that no family knows, as after the death of a process, and the remains of uploads that were cut off. */
export const tidyFiles = (families: readonly Family[]) =>
  job<Record<string, never>, JobContext>({
    name: 'stored-files.tidy',
    attempts: 3,
    schedule: { cron: '17 * * * *' },
    async run(_payload, { db, services: { objects }, stopping }) {
      // Times of files are those of the machine, whatever the clock of the server says.
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
