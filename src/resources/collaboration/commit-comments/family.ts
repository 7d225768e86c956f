import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { commitCommentEvents } from './events.ts';
import * as schemas from './schemas.ts';

export const commitComments = family({
  name: 'commit-comments',
  effect: 'A commit gets comments and reactions, and people are notified.',
  schemas,
  endpoints: [endpoints],
  events: commitCommentEvents,
});
