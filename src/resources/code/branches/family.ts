import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { branchFollowUps } from './follow-ups.ts';
import * as pageEndpoints from './page-endpoints.ts';
import * as schemas from './schemas.ts';

export const branches = family({
  name: 'branches',
  effect: 'A branch gets the commits of another branch, or a new name wherever it is used.',
  page: 'git.md#through-the-api',
  schemas,
  endpoints: [endpoints],
  pageEndpoints: [pageEndpoints],
  followUps: branchFollowUps,
});
