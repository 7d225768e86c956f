import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { labelEvents } from './events.ts';
import * as schemas from './schemas.ts';
import { Label } from './schemas.ts';

export const labels = family({
  name: 'labels',
  effect: "A repository's labels are created, changed or deleted, and its issues show them accordingly.",
  schemas,
  endpoints: [endpoints],
  events: labelEvents,
  payloadParts: { label: Label },
});
