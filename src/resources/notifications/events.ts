import type { Id } from '#lib/id.ts';
import { eventKinds } from '#resources/event-kinds.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    /** Somebody changed their subscription to a thread. Without an issue, its subject is an invitation into the repository. */
    'thread.subscribed': { issue: Id<'issues'> | null };
    'thread.unsubscribed': { issue: Id<'issues'> | null };
  }
}

export const notificationEvents = eventKinds({
  'thread.subscribed': 'no webhook',
  'thread.unsubscribed': 'no webhook',
});
