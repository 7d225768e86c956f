import { eventKinds } from '#resources/event-kinds.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'dependency_bot_access.changed': Record<never, never>;
  }
}

export const dependencyBotEvents = eventKinds({ 'dependency_bot_access.changed': 'no webhook' });
