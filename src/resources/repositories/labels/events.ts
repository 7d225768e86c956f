import type { DeletedRow } from '#events/kinds.ts';
import type { Id } from '#lib/id.ts';
import { revived } from '#lib/snapshot.ts';
import {
  aboutRepository,
  changesOf,
  type EventScope,
  eventKinds,
  type OwnedRepository,
  type PayloadScope,
  payloadBuilder,
  type WebhookEvent,
  webhookEventType,
} from '#resources/event-kinds.ts';
import { presentLabel } from './present.ts';
import { findLabelById, type LabelRow } from './store.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'label.created': { label: Id<'labels'> };
    'label.edited': { label: Id<'labels'>; from?: { name?: string; color?: string; description?: string | null } };
    'label.deleted': { name: string; was?: DeletedRow<'labels'> };
  }
}

const labelEvent = webhookEventType({ name: 'label', permission: 'metadata:read', hooks: 'all' });

const labelPayload = (
  context: PayloadScope,
  event: EventScope,
  built: { action: string; find: (repository: OwnedRepository) => Promise<LabelRow | undefined>; more?: object },
): Promise<readonly WebhookEvent[]> =>
  aboutRepository(context, event, async (repository) => {
    const row = await built.find(repository);
    if (!row) return [];
    const label = presentLabel(context.links, repository, row);
    return [{ type: labelEvent, action: built.action, body: { label, ...built.more } }];
  });

export const labelEvents = eventKinds({
  'label.created': payloadBuilder([labelEvent], (event, context) =>
    labelPayload(context, event, { action: 'created', find: ({ id }) => findLabelById(context.db, id, event.data.label) }),
  ),
  'label.edited': payloadBuilder([labelEvent], (event, context) =>
    labelPayload(context, event, {
      action: 'edited',
      find: ({ id }) => findLabelById(context.db, id, event.data.label),
      more: changesOf(event.data.from),
    }),
  ),
  'label.deleted': payloadBuilder([labelEvent], (event, context) =>
    labelPayload(context, event, { action: 'deleted', find: async () => event.data.was && revived(event.data.was, []) }),
  ),
});
