import { family } from '#resources/family.ts';
import * as seatEndpoints from './endpoints/seats.ts';
import * as spaceEndpoints from './endpoints/spaces.ts';
import { assistantEvents } from './events.ts';
import { removeEndedSeats } from './jobs.ts';
import * as limits from './limits.ts';
import { AssistantMetrics } from './provider.ts';
import * as schemas from './schemas.ts';
import { makeAssistant } from './service.ts';

/** The seats of an assistant, and its spaces. */
export const assistant = family({
  name: 'assistant',
  effect: 'People get or lose a seat for an assistant, and spaces give it texts to work with.',
  page: 'assistant.md',
  limits,
  services: { assistant: makeAssistant },
  schemas: { ...schemas, AssistantMetrics },
  endpoints: [seatEndpoints, spaceEndpoints],
  events: assistantEvents,
  jobs: [removeEndedSeats],
});
