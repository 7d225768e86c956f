import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { watchingEvents } from './events.ts';
import { removeLostWatches, startWatching } from './jobs.ts';
import * as schemas from './schemas.ts';

export const watching = family({
  name: 'watching',
  effect: 'The caller starts or stops getting notifications about a repository.',
  page: 'notifications.md',
  schemas,
  endpoints: [endpoints],
  events: watchingEvents,
  subscriptions: [startWatching, removeLostWatches],
});
