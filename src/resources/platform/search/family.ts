import { family } from '#resources/family.ts';
import { embedChanged, embedMissing } from './embed-jobs.ts';
import * as endpoints from './endpoints.ts';
import { indexChanged, indexMissing } from './jobs.ts';
import * as pageEndpoints from './page-endpoints.ts';
import * as schemas from './schemas.ts';
import { makeSearchLimiter } from './services.ts';

export const search = family({
  name: 'search',
  services: { searchLimiter: makeSearchLimiter },
  schemas,
  endpoints: [endpoints],
  pageEndpoints: [pageEndpoints],
  subscriptions: [indexChanged, embedChanged],
  jobs: [indexMissing, embedMissing],
});
