import type { Id } from '#lib/id.ts';
import { eventKinds } from '#resources/event-kinds.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'actions_secret.created': { secret: Id<'actions_secrets'> };
    'actions_secret.changed': { secret: Id<'actions_secrets'> };
    'actions_secret.deleted': { name: string; environment: Id<'environments'> | null };
  }
}

export const actionsSecretEvents = eventKinds({
  'actions_secret.created': 'no webhook',
  'actions_secret.changed': 'no webhook',
  'actions_secret.deleted': 'no webhook',
});
