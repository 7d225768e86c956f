import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { deployKeyEvents } from './events.ts';
import * as schemas from './schemas.ts';

export const deployKeys = family({
  name: 'deploy-keys',
  effect: 'An SSH key gets or loses access to one repository.',
  page: 'git.md#ssh',
  schemas,
  endpoints: [endpoints],
  events: deployKeyEvents,
});
