import { family } from '#resources/family.ts';
import { dropAbandoned, removeObjects } from './jobs.ts';
import { loadKnownKeys } from './store.ts';

export const jobUploads = family({
  name: 'job-uploads',
  jobs: [removeObjects, dropAbandoned],
  loadKnownObjects: loadKnownKeys,
});
