import { family } from '#resources/family.ts';
import { dropAbandoned, removeObjects } from './jobs.ts';
import * as limits from './limits.ts';
import { loadKnownKeys } from './store.ts';

export const jobUploads = family({
  name: 'job-uploads',
  limits,
  jobs: [removeObjects, dropAbandoned],
  loadKnownObjects: loadKnownKeys,
});
