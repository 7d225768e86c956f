import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { tokenEvents } from './events.ts';
import { revokeOfFormerMembers } from './jobs.ts';
import * as limits from './limits.ts';
import * as schemas from './schemas.ts';

export const tokens = family({
  name: 'tokens',
  limits,
  schemas,
  pageEndpoints: [endpoints],
  events: tokenEvents,
  subscriptions: [revokeOfFormerMembers],
});
