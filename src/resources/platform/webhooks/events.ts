import type { Id } from '#lib/id.ts';
import { eventKinds } from '#resources/event-kinds.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'hook.created': { hook: Id<'webhooks'> };
    'hook.updated': { hook: Id<'webhooks'> };
    'hook.deleted': { hook: Id<'webhooks'> };
  }
}

export const hookEvents = eventKinds({
  'hook.created': 'no webhook',
  'hook.updated': 'no webhook',
  'hook.deleted': 'no webhook',
});
