import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { accountEvents } from './events.ts';
import * as schemas from './schemas.ts';
import { User } from './schemas.ts';

export const accounts = family({
  name: 'accounts',
  schemas,
  endpoints: [endpoints],
  events: accountEvents,
  payloadParts: { member: User, sender: User, assignee: User },
});
