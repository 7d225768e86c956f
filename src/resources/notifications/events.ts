import type { Id } from '#lib/id.ts';
import { eventKinds } from '#resources/event-kinds.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    /** Somebody changed by hand what they want to hear of a subject. Without an issue, it is an invitation into the repository. */
    'thread.subscribed': { issue: Id<'issues'> | null };
    'thread.unsubscribed': { issue: Id<'issues'> | null };
  }
}

export const notificationEvents = eventKinds({
  'thread.subscribed': 'no webhook',
  'thread.unsubscribed': 'no webhook',
});
