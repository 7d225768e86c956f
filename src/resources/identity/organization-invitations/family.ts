import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import * as schemas from './schemas.ts';

export const organizationInvitations = family({
  name: 'organization-invitations',
  effect: 'Somebody is invited to an organization, or an invitation is withdrawn.',
  page: 'organizations.md#invitations',
  schemas,
  endpoints: [endpoints],
});
