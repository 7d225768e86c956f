import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { removeExpired } from './jobs.ts';
import * as limits from './limits.ts';
import * as schemas from './schemas.ts';
import { loadKnownKeys } from './store.ts';

export const artifacts = family({
  name: 'artifacts',
  effect: 'A file that a job left behind is deleted.',
  page: 'actions-artifacts.md#artifacts',
  limits,
  schemas,
  endpoints: [endpoints],
  jobs: [removeExpired],
  loadKnownObjects: loadKnownKeys,
});
