import type { Id } from '#lib/id.ts';
import { eventKinds } from '#resources/event-kinds.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'actions_variable.created': { variable: Id<'actions_variables'> };
    'actions_variable.changed': { variable: Id<'actions_variables'> };
    'actions_variable.deleted': { name: string; environment: Id<'environments'> | null };
  }
}

export const actionsVariableEvents = eventKinds({
  'actions_variable.created': 'no webhook',
  'actions_variable.changed': 'no webhook',
  'actions_variable.deleted': 'no webhook',
});
