import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { organizationEvents } from './events.ts';
import * as schemas from './schemas.ts';

export const organizations = family({
  name: 'organizations',
  effect: "An organization's profile changes, or what its members may do.",
  page: 'organizations.md',
  schemas,
  endpoints: [endpoints],
  events: organizationEvents,
});
