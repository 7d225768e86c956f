import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { issueFieldEvents } from './events.ts';
import * as schemas from './schemas.ts';

export const issueFields = family({
  name: 'issue-fields',
  schemas,
  endpoints: [endpoints],
  events: issueFieldEvents,
});
