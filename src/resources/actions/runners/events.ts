import type { Id } from '#lib/id.ts';
import { eventKinds } from '#resources/event-kinds.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'runner_group.created': { group: Id<'runner_groups'> };
    'runner_group.updated': { group: Id<'runner_groups'> };
    'runner_group.deleted': { group: Id<'runner_groups'>; name: string };
  }
}

export const runnerEvents = eventKinds({
  'runner_group.created': 'no webhook',
  'runner_group.updated': 'no webhook',
  'runner_group.deleted': 'no webhook',
});
