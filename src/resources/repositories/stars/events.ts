import { timestamp } from '#lib/time.ts';
import { aboutRepository, eventKinds, payloadBuilder, webhookEventType } from '#resources/event-kinds.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'repository.starred': Record<string, never>;
    'repository.unstarred': Record<string, never>;
  }
}

const starEvent = webhookEventType({ name: 'star', permission: 'metadata:read', hooks: 'all' });
/** The name is historical. The public API sends it for a new star, and not for watching. */
const watchEvent = webhookEventType({ name: 'watch', permission: 'metadata:read', hooks: 'all' });

export const starEvents = eventKinds({
  'repository.starred': payloadBuilder([starEvent, watchEvent], (event, context) =>
    aboutRepository(context, event, () => [
      { type: starEvent, action: 'created', body: { starred_at: timestamp(event.at) } },
      { type: watchEvent, action: 'started', body: {} },
    ]),
  ),
  'repository.unstarred': payloadBuilder([starEvent], (event, context) =>
    aboutRepository(context, event, () => [{ type: starEvent, action: 'deleted', body: { starred_at: null } }]),
  ),
});
