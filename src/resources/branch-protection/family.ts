import { family } from '#resources/family.ts';
import * as protections from './endpoints/protections.ts';
import { branchProtectionEvents } from './events.ts';
import * as schemas from './schemas.ts';

export const branchProtection = family({
  name: 'branch-protection',
  schemas,
  endpoints: [protections],
  events: branchProtectionEvents,
});
