import { allFamilies } from '#resources/all.ts';
import { tidyFiles } from '#resources/stored-files/jobs.ts';
import type { World } from './world.ts';

/** Removes from the object store what nobody knows, as the job does at its times. */
export const tidyStore = ({ db, change, clock, hearth: { services, worker } }: World): Promise<void> =>
  tidyFiles(allFamilies).run({}, { db, change, services, now: clock.now, log: worker.log });
