import { type Family, family } from '#resources/family.ts';
import { tidyFiles } from './jobs.ts';

/** Keeps the object store free of what no other family knows. */
export const storedFiles = (families: readonly Family[]) => family({ name: 'stored-files', jobs: [tidyFiles(families)] });
