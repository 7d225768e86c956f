import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { labelEvents } from './events.ts';
import * as schemas from './schemas.ts';
import { Label } from './schemas.ts';

export const labels = family({
  name: 'labels',
  schemas,
  endpoints: [endpoints],
  events: labelEvents,
  payloadParts: { label: Label },
});
