import type { Id } from '#lib/id.ts';
import { eventKinds } from '#resources/event-kinds.ts';

type Assignees = { readonly users: readonly Id<'accounts'>[]; readonly teams: readonly Id<'teams'>[] };

declare module '#events/kinds.ts' {
  interface EventData {
    'assistant_seats.assigned': Assignees;
    'assistant_seats.cancelled': Assignees;
    'assistant_space.created': { space: Id<'assistant_spaces'> };
    'assistant_space.changed': { space: Id<'assistant_spaces'> };
  }
}

export const assistantEvents = eventKinds({
  'assistant_seats.assigned': 'no webhook',
  'assistant_seats.cancelled': 'no webhook',
  'assistant_space.created': 'no webhook',
  'assistant_space.changed': 'no webhook',
});
