import { eventKinds } from '#resources/event-kinds.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'repository.watched': { ignored: boolean };
    'repository.unwatched': Record<string, never>;
  }
}

export const watchingEvents = eventKinds({
  'repository.watched': 'no webhook',
  'repository.unwatched': 'no webhook',
});
