import { family } from '#resources/family.ts';
import * as seatEndpoints from './endpoints/seats.ts';
import * as spaceEndpoints from './endpoints/spaces.ts';
import { assistantEvents } from './events.ts';
import { removeEndedSeats } from './jobs.ts';
import * as limits from './limits.ts';
import { AssistantMetrics } from './provider.ts';
import { assistantEvaluators, followPulls, requestByRule } from './reviews/by-rule.ts';
import { reviewLoop } from './reviews/loop.ts';
import * as schemas from './schemas.ts';
import { assistantServices } from './service.ts';

/** The seats of an assistant, its spaces, and its reviews of pull requests. */
export const assistant = family({
  name: 'assistant',
  effect: 'People get or lose a seat for an assistant. Spaces keep texts for their members, which reviews leave alone.',
  page: 'assistant.md',
  limits,
  interpreters: [
    {
      reads: "reviews that an assistant's model writes, in JSON",
      runs: 'steps',
      modules: ['reviews/reply.ts'],
      bounds: ['assistant.reply', 'assistant.text', 'assistant.comments'],
    },
  ],
  services: assistantServices,
  schemas: { ...schemas, AssistantMetrics },
  endpoints: [seatEndpoints, spaceEndpoints],
  events: assistantEvents,
  evaluators: assistantEvaluators,
  subscriptions: [followPulls],
  jobs: [removeEndedSeats, requestByRule],
  loops: [reviewLoop],
});
