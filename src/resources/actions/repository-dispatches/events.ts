import type { Id } from '#lib/id.ts';
import { aboutRepository, eventKinds, payloadBuilder, webhookEventType } from '#resources/event-kinds.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    /** An event from another system. */
    'repository.dispatched': {
      type: string;
      payload: { readonly [name: string]: unknown };
      /** The user behind the job, if a job's token sent the event. */
      onBehalfOf?: Id<'accounts'>;
    };
  }
}

const dispatchEvent = webhookEventType({ name: 'repository_dispatch', permission: 'contents:read', hooks: 'apps' });

export const dispatchEvents = eventKinds({
  'repository.dispatched': payloadBuilder([dispatchEvent], (event, context) =>
    aboutRepository(context, event, (repository) => [
      {
        type: dispatchEvent,
        action: event.data.type,
        body: { branch: repository.default_branch, client_payload: event.data.payload },
      },
    ]),
  ),
});
