import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { memberEvents } from './events.ts';
import { expireInvitations } from './jobs.ts';
import * as limits from './limits.ts';
import * as schemas from './schemas.ts';

export const members = family({
  name: 'members',
  effect: 'People join or leave an organization, or become its owners, and get or lose the access that comes with it.',
  page: 'organizations.md',
  limits,
  schemas,
  endpoints: [endpoints],
  events: memberEvents,
  jobs: [expireInvitations],
});
