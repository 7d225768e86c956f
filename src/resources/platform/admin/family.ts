import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import * as schemas from './schemas.ts';

export const admin = family({
  name: 'admin',
  effect: 'Users and organizations are created, and users are suspended or made administrators of the server.',
  page: 'operations.md',
  schemas,
  endpoints: [endpoints],
});
