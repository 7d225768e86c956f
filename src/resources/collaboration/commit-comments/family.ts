import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { commitCommentEvents } from './events.ts';
import * as schemas from './schemas.ts';

export const commitComments = family({
  name: 'commit-comments',
  schemas,
  endpoints: [endpoints],
  events: commitCommentEvents,
});
