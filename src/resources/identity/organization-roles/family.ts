import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { organizationRoleEvents } from './events.ts';
import * as limits from './limits.ts';
import * as schemas from './schemas.ts';

export const organizationRoles = family({
  name: 'organization-roles',
  effect: 'Users and teams get or lose a role in an organization, with its rights in all repositories.',
  page: 'organizations.md#security-managers',
  limits,
  schemas,
  endpoints: [endpoints],
  events: organizationRoleEvents,
});
