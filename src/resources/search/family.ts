import { family } from '#resources/family.ts';
import { embedIssue, embedMissing } from './embed-jobs.ts';
import * as endpoints from './endpoints.ts';
import { indexMissing, indexRepository } from './jobs.ts';
import * as schemas from './schemas.ts';

export const search = family({
  name: 'search',
  schemas,
  endpoints: [endpoints],
  subscriptions: [indexRepository, embedIssue],
  jobs: [indexMissing, embedMissing],
});
