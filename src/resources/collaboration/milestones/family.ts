import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { milestoneEvents } from './events.ts';
import * as schemas from './schemas.ts';
import { Milestone } from './schemas.ts';

export const milestones = family({
  name: 'milestones',
  effect: "A repository's milestones are created, changed or deleted, and its issues show them accordingly.",
  schemas,
  endpoints: [endpoints],
  events: milestoneEvents,
  payloadParts: { milestone: Milestone },
});
