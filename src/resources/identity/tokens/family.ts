import { family } from '#resources/family.ts';
import { tokenEvents } from './events.ts';
import { revokeOfFormerMembers } from './jobs.ts';
import * as schemas from './schemas.ts';

export const tokens = family({
  name: 'tokens',
  schemas,
  events: tokenEvents,
  subscriptions: [revokeOfFormerMembers],
});
