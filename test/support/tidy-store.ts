import { tidyFiles } from '#resources/actions/stored-files/jobs.ts';
import { allFamilies } from '#resources/all.ts';
import type { World } from './world.ts';

/** Removes from the object store what nobody knows, as the job does at its times. */
export const tidyStore = ({ jobContext, hearth: { services } }: World): Promise<void> =>
  tidyFiles(allFamilies).run({}, jobContext({ services }));
