import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { starEvents } from './events.ts';
import { removeLostStars } from './jobs.ts';
import * as schemas from './schemas.ts';

export const stars = family({
  name: 'stars',
  effect: "A repository gains or loses a star, and enters or leaves the caller's list of starred repositories.",
  schemas,
  endpoints: [endpoints],
  events: starEvents,
  subscriptions: [removeLostStars],
});
