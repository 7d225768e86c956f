import type { DeletedRow, EventData } from '#events/kinds.ts';
import type { Id } from '#lib/id.ts';
import { revived } from '#lib/snapshot.ts';
import {
  aboutRepository,
  changesOf,
  type EventScope,
  eventKinds,
  type PayloadScope,
  payloadBuilder,
  type WebhookEvent,
  webhookEventType,
} from '#resources/event-kinds.ts';
import { presentMilestones } from './present.ts';
import { loadMilestones, type MilestoneRow } from './store.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'milestone.created': { milestone: Id<'milestones'> };
    'milestone.edited': {
      milestone: Id<'milestones'>;
      from?: { title?: string; description?: string | null; due_on?: string | null };
    };
    'milestone.closed': { milestone: Id<'milestones'> };
    'milestone.opened': { milestone: Id<'milestones'> };
    'milestone.deleted': { title: string; was?: DeletedRow<'milestones'> & { open_issues: number; closed_issues: number } };
  }
}

const milestoneEvent = webhookEventType({ name: 'milestone', permission: 'issues:read', hooks: 'all' });

const milestonePayload = (
  context: PayloadScope,
  event: EventScope,
  built: { action: string; find: () => Promise<MilestoneRow | undefined>; more?: object },
): Promise<readonly WebhookEvent[]> =>
  aboutRepository(context, event, async (repository) => {
    const row = await built.find();
    if (!row) return [];
    const [milestone] = await presentMilestones(context, repository, [row]);
    return [{ type: milestoneEvent, action: built.action, body: { milestone, ...built.more } }];
  });

type MilestoneEvent = EventScope & { data: EventData['milestone.created'] };

const presentMilestonePayload = (action: string, context: PayloadScope, event: MilestoneEvent, more: object = {}) =>
  milestonePayload(context, event, {
    action,
    more,
    find: async () => (await loadMilestones(context.db, [event.data.milestone])).get(event.data.milestone),
  });

export const milestoneEvents = eventKinds({
  'milestone.created': payloadBuilder([milestoneEvent], (event, context) => presentMilestonePayload('created', context, event)),
  'milestone.edited': payloadBuilder([milestoneEvent], (event, context) =>
    presentMilestonePayload('edited', context, event, changesOf(event.data.from)),
  ),
  'milestone.closed': payloadBuilder([milestoneEvent], (event, context) => presentMilestonePayload('closed', context, event)),
  'milestone.opened': payloadBuilder([milestoneEvent], (event, context) => presentMilestonePayload('opened', context, event)),
  'milestone.deleted': payloadBuilder([milestoneEvent], (event, context) =>
    milestonePayload(context, event, {
      action: 'deleted',
      find: async () =>
        event.data.was && revived<MilestoneRow>(event.data.was, ['created_at', 'updated_at', 'due_on', 'closed_at']),
    }),
  ),
});
