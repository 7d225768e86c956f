import type { Id } from '#lib/id.ts';
import { eventKinds } from '#resources/event-kinds.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'dependency_bot_secret.created': { secret: Id<'actions_secrets'> };
    'dependency_bot_secret.changed': { secret: Id<'actions_secrets'> };
    'dependency_bot_secret.deleted': { name: string; environment: null };
  }
}

export const dependencyBotSecretEvents = eventKinds({
  'dependency_bot_secret.created': 'no webhook',
  'dependency_bot_secret.changed': 'no webhook',
  'dependency_bot_secret.deleted': 'no webhook',
});
