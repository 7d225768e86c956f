import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { interactionLimitEvents } from './events.ts';
import * as limits from './resource-limits.ts';
import * as schemas from './schemas.ts';

export const interactionLimits = family({
  name: 'interaction-limits',
  effect: "Some people temporarily can't comment or open pull requests, or can again.",
  page: 'pull-requests.md#caps',
  limits,
  schemas,
  endpoints: [endpoints],
  events: interactionLimitEvents,
});
