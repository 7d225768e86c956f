import type { Id } from '#lib/id.ts';
import { eventKinds } from '#resources/event-kinds.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'autolink.created': { autolink: Id<'autolinks'> };
    'autolink.deleted': { key_prefix: string };
  }
}

export const autolinkEvents = eventKinds({
  'autolink.created': 'no webhook',
  'autolink.deleted': 'no webhook',
});
