import type { Id } from '#lib/id.ts';
import { eventKinds } from '#resources/event-kinds.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'reaction.created': SubjectData & { content: string };
    'reaction.deleted': SubjectData & { content: string };
  }
}

/** A comment is named with its issue. */
type SubjectData = { issue?: Id<'issues'>; comment?: Id<'issue_comments'>; release?: Id<'releases'> };

export const reactionEvents = eventKinds({
  'reaction.created': 'no webhook',
  'reaction.deleted': 'no webhook',
});
