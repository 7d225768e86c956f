import { family } from '#resources/family.ts';
import { reactionEvents } from './events.ts';
import * as schemas from './schemas.ts';

export const reactions = family({
  name: 'reactions',
  schemas,
  events: reactionEvents,
});
