import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { interactionLimitEvents } from './events.ts';
import * as limits from './resource-limits.ts';
import * as schemas from './schemas.ts';

export const interactionLimits = family({
  name: 'interaction-limits',
  limits,
  schemas,
  endpoints: [endpoints],
  events: interactionLimitEvents,
});
