import type { Id } from '#lib/id.ts';
import { eventKinds } from '#resources/event-kinds.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'reaction.created': IssueData & { comment?: Id<'issue_comments'>; content: string };
    'reaction.deleted': IssueData & { comment?: Id<'issue_comments'>; content: string };
  }
}

type IssueData = { issue: Id<'issues'> };

export const reactionEvents = eventKinds({
  'reaction.created': 'no webhook',
  'reaction.deleted': 'no webhook',
});
