import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { branchFollowUps } from './follow-ups.ts';
import * as schemas from './schemas.ts';

export const branches = family({
  name: 'branches',
  schemas,
  endpoints: [endpoints],
  followUps: branchFollowUps,
});
