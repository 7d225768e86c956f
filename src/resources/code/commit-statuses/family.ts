import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { commitStatusEvents } from './events.ts';
import * as limits from './limits.ts';
import * as schemas from './schemas.ts';

export const commitStatuses = family({
  name: 'commit-statuses',
  effect: 'A commit shows a status, which can decide about merges.',
  page: 'checks.md',
  limits,
  schemas,
  endpoints: [endpoints],
  events: commitStatusEvents,
});
