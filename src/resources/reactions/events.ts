import type { Id } from '#lib/id.ts';
import { eventKinds } from '#resources/event-kinds.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'reaction.created': ReactionData;
    'reaction.deleted': ReactionData;
  }
}

/** A reaction to an issue, to a comment on it, or to a comment on a commit. */
type ReactionData = {
  issue?: Id<'issues'>;
  comment?: Id<'issue_comments'>;
  commit_comment?: Id<'commit_comments'>;
  content: string;
};

export const reactionEvents = eventKinds({
  'reaction.created': 'no webhook',
  'reaction.deleted': 'no webhook',
});
