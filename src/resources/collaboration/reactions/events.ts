import type { Id } from '#lib/id.ts';
import { eventKinds } from '#resources/event-kinds.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'reaction.created': ReactionData;
    'reaction.deleted': ReactionData;
  }
}

/**
 * A reaction to an issue, to a comment on it, to a comment on a commit or of a review, or to a release. A comment on an issue or
 * a pull request has both ids.
 */
type ReactionData = {
  issue?: Id<'issues'>;
  comment?: Id<'issue_comments'>;
  commit_comment?: Id<'commit_comments'>;
  review_comment?: Id<'review_comments'>;
  release?: Id<'releases'>;
  content: string;
};

export const reactionEvents = eventKinds({
  'reaction.created': 'no webhook',
  'reaction.deleted': 'no webhook',
});
