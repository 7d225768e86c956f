import type { Id } from '#lib/id.ts';
import { eventKinds } from '#resources/event-kinds.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'environment.created': { environment: Id<'environments'> };
    'environment.edited': { environment: Id<'environments'> };
    'environment.deleted': { name: string };
  }
}

export const environmentEvents = eventKinds({
  'environment.created': 'no webhook',
  'environment.edited': 'no webhook',
  'environment.deleted': 'no webhook',
});
