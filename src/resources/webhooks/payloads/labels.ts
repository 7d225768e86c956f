import type { EventData } from '#events/catalogue.ts';
import { revived } from '#lib/snapshot.ts';
import { findLabelById, type LabelRow, presentLabel } from '#resources/labels/index.ts';
import { loadMilestones, type MilestoneRow, presentMilestones } from '#resources/milestones/index.ts';
import {
  aboutRepository,
  changesOf,
  type EventScope,
  type OwnedRepository,
  type PayloadBuilders,
  type PayloadContext,
  payloadBuilder,
  type WebhookEvent,
} from './payload-builder.ts';

const labelPayload = (
  context: PayloadContext,
  event: EventScope,
  built: { action: string; find: (repository: OwnedRepository) => Promise<LabelRow | undefined>; more?: object },
): Promise<readonly WebhookEvent[]> =>
  aboutRepository(context, event, async (repository) => {
    const row = await built.find(repository);
    if (!row) return [];
    const label = presentLabel(context.links, repository, row);
    return [{ name: 'label', action: built.action, body: { label, ...built.more } }];
  });

const milestonePayload = (
  context: PayloadContext,
  event: EventScope,
  built: { action: string; find: () => Promise<MilestoneRow | undefined>; more?: object },
): Promise<readonly WebhookEvent[]> =>
  aboutRepository(context, event, async (repository) => {
    const row = await built.find();
    if (!row) return [];
    const [milestone] = await presentMilestones(context, repository, [row]);
    return [{ name: 'milestone', action: built.action, body: { milestone, ...built.more } }];
  });

type OfMilestone = EventScope & { data: EventData['milestone.created'] };

const milestoneThere = (action: string, context: PayloadContext, event: OfMilestone, more: object = {}) =>
  milestonePayload(context, event, {
    action,
    more,
    find: async () => (await loadMilestones(context.db, [event.data.milestone])).get(event.data.milestone),
  });

export const labelPayloads: PayloadBuilders = {
  'label.created': payloadBuilder(['label'], (event, context) =>
    labelPayload(context, event, { action: 'created', find: ({ id }) => findLabelById(context.db, id, event.data.label) }),
  ),
  'label.edited': payloadBuilder(['label'], (event, context) =>
    labelPayload(context, event, {
      action: 'edited',
      find: ({ id }) => findLabelById(context.db, id, event.data.label),
      more: changesOf(event.data.from),
    }),
  ),
  'label.deleted': payloadBuilder(['label'], (event, context) =>
    labelPayload(context, event, { action: 'deleted', find: async () => event.data.was && revived(event.data.was, []) }),
  ),
};

export const milestonePayloads: PayloadBuilders = {
  'milestone.created': payloadBuilder(['milestone'], (event, context) => milestoneThere('created', context, event)),
  'milestone.edited': payloadBuilder(['milestone'], (event, context) =>
    milestoneThere('edited', context, event, changesOf(event.data.from)),
  ),
  'milestone.closed': payloadBuilder(['milestone'], (event, context) => milestoneThere('closed', context, event)),
  'milestone.opened': payloadBuilder(['milestone'], (event, context) => milestoneThere('opened', context, event)),
  'milestone.deleted': payloadBuilder(['milestone'], (event, context) =>
    milestonePayload(context, event, {
      action: 'deleted',
      find: async () =>
        event.data.was && revived<MilestoneRow>(event.data.was, ['created_at', 'updated_at', 'due_on', 'closed_at']),
    }),
  ),
};
