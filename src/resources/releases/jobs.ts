import type { Services } from '#endpoint/services.ts';
import { subscription } from '#events/subscription.ts';
import { job } from '#jobs/job.ts';
import { addMinutes } from '#lib/time.ts';
import { areObjectsKept } from './archive-store.ts';
import { loadKnownKeys } from './asset-store.ts';

/** Removes the files of the releases of a deleted repository. */
export const removeFiles = subscription<'repository.deleted', Services>({
  name: 'releases.remove-files',
  on: ['repository.deleted'],
  attempts: 25,
  async run({ repository }, { services: { objects } }) {
    if (repository !== undefined) await objects.removeGroup(String(repository));
  },
});

/** An object is written before its row: as long as one may be under way, it is left alone. That of an import may be so for longer. */
const patienceMinutes = 60;

/** Removes objects that belong to no file, as after the death of a process, and the remains of uploads that were cut off. */
export const tidyFiles = job<Record<string, never>, Services>({
  name: 'releases.tidy',
  attempts: 3,
  schedule: { cron: '17 * * * *' },
  async run(_payload, { db, services: { objects } }) {
    // Times of files are those of the machine, whatever the clock of the server says.
    const before = addMinutes(new Date(), -patienceMinutes);
    // What an import writes that begins from now on, is younger than that.
    if (await areObjectsKept(db)) return;
    for await (const batch of objects.list()) {
      const old = batch.filter(({ modified }) => modified < before).map(({ group, name }) => `${group}/${name}`);
      const known = await loadKnownKeys(db, old);
      for (const key of old) if (!known.has(key)) await objects.remove(key);
    }
  },
});
