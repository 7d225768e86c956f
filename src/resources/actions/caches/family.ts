import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { removeStored, removeUnused } from './jobs.ts';
import * as limits from './limits.ts';
import * as schemas from './schemas.ts';
import { loadKnownKeys } from './store.ts';

export const caches = family({
  name: 'caches',
  effect: 'Jobs start without the files that earlier jobs had stored for them.',
  page: 'actions-artifacts.md#caches',
  limits,
  schemas,
  endpoints: [endpoints],
  subscriptions: [removeStored],
  jobs: [removeUnused],
  loadKnownObjects: loadKnownKeys,
});
