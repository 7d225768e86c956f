import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { dispatchEvents } from './events.ts';

export const repositoryDispatches = family({
  name: 'repository-dispatches',
  effect: 'Workflows run because of something that happened elsewhere.',
  page: 'actions.md',
  endpoints: [endpoints],
  events: dispatchEvents,
});
