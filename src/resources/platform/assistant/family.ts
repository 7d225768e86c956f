import { AssistantMetrics } from '#lib/assistant.ts';
import { family } from '#resources/family.ts';
import * as seatEndpoints from './endpoints/seats.ts';
import * as spaceEndpoints from './endpoints/spaces.ts';
import { assistantEvents } from './events.ts';
import { removeEndedSeats } from './jobs.ts';
import * as limits from './limits.ts';
import * as schemas from './schemas.ts';

/** Who may use an assistant, and what they prepare for it. */
export const assistant = family({
  name: 'assistant',
  limits,
  schemas: { ...schemas, AssistantMetrics },
  endpoints: [seatEndpoints, spaceEndpoints],
  events: assistantEvents,
  jobs: [removeEndedSeats],
});
