import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { issueFieldEvents } from './events.ts';
import * as schemas from './schemas.ts';

export const issueFields = family({
  name: 'issue-fields',
  effect: "An organization's issues get a new field, or a field and its values change or disappear.",
  page: 'issue-fields.md',
  schemas,
  endpoints: [endpoints],
  events: issueFieldEvents,
});
