import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import * as schemas from './schemas.ts';

export const licenses = family({
  name: 'licenses',
  schemas,
  endpoints: [endpoints],
});
