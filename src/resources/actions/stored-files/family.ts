import { type Family, family } from '#resources/family.ts';
import { tidyFiles } from './jobs.ts';

/** Removes objects from the object store that no other family refers to. */
export const storedFiles = (families: readonly Family[]) => family({ name: 'stored-files', jobs: [tidyFiles(families)] });
