import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { starEvents } from './events.ts';
import { removeLostStars } from './jobs.ts';
import * as schemas from './schemas.ts';

export const stars = family({
  name: 'stars',
  schemas,
  endpoints: [endpoints],
  events: starEvents,
  subscriptions: [removeLostStars],
});
