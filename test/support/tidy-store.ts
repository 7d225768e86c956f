import { tidyFiles } from '#resources/actions/stored-files/jobs.ts';
import { allFamilies } from '#resources/all.ts';
import type { World } from './world.ts';

/** Removes unknown objects from the object store, as the scheduled job does. */
export const tidyStore = ({ jobContext, hearth: { services } }: World): Promise<void> =>
  tidyFiles(allFamilies).run({}, jobContext({ services }));
