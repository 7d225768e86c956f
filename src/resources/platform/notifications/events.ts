import type { Id } from '#lib/id.ts';
import { eventKinds } from '#resources/event-kinds.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    /** A user changed their subscription to a thread. */
    'thread.subscribed': { subject: Id<'notification_subjects'> };
    'thread.unsubscribed': { subject: Id<'notification_subjects'> };
  }
}

export const notificationEvents = eventKinds({
  'thread.subscribed': 'no webhook',
  'thread.unsubscribed': 'no webhook',
});
