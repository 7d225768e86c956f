import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { removeDeleted } from './jobs.ts';

export const organizationDeletion = family({
  name: 'organization-deletion',
  effect: 'An organization disappears at once with everything it owns, and its data soon afterwards.',
  page: 'organizations.md#deletion',
  endpoints: [endpoints],
  jobs: [removeDeleted],
});
