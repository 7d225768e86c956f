import type { Id } from '#lib/id.ts';
import { eventKinds } from '#resources/event-kinds.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'reaction.created': ReactionData;
    'reaction.deleted': ReactionData;
  }
}

/** A reaction to an issue, to a comment on it, to a comment on a commit, or to a release. A comment on an issue is named with its issue. */
type ReactionData = {
  issue?: Id<'issues'>;
  comment?: Id<'issue_comments'>;
  commit_comment?: Id<'commit_comments'>;
  release?: Id<'releases'>;
  content: string;
};

export const reactionEvents = eventKinds({
  'reaction.created': 'no webhook',
  'reaction.deleted': 'no webhook',
});
