import type { EventData } from '#events/catalogue.ts';
import { revived } from '#lib/snapshot.ts';
import { findLabelById, type LabelRow, presentLabel } from '#resources/labels/index.ts';
import { loadMilestones, type MilestoneRow, presentMilestones } from '#resources/milestones/index.ts';
import {
  aboutRepository,
  changesOf,
  type OwnedRepository,
  type PayloadContext,
  type Place,
  type Tellers,
  type Told,
  teller,
} from './payload.ts';

const tellLabel = (
  context: PayloadContext,
  event: Place,
  told: { action: string; find: (repository: OwnedRepository) => Promise<LabelRow | undefined>; more?: object },
): Promise<readonly Told[]> =>
  aboutRepository(context, event, async (repository) => {
    const row = await told.find(repository);
    if (!row) return [];
    const label = presentLabel(context.links, repository, row);
    return [{ name: 'label', action: told.action, body: { label, ...told.more } }];
  });

const tellMilestone = (
  context: PayloadContext,
  event: Place,
  told: { action: string; find: () => Promise<MilestoneRow | undefined>; more?: object },
): Promise<readonly Told[]> =>
  aboutRepository(context, event, async (repository) => {
    const row = await told.find();
    if (!row) return [];
    const [milestone] = await presentMilestones(context, repository, [row]);
    return [{ name: 'milestone', action: told.action, body: { milestone, ...told.more } }];
  });

type OfMilestone = Place & { data: EventData['milestone.created'] };

const milestoneThere = (action: string, context: PayloadContext, event: OfMilestone, more: object = {}) =>
  tellMilestone(context, event, {
    action,
    more,
    find: async () => (await loadMilestones(context.db, [event.data.milestone])).get(event.data.milestone),
  });

export const labelTellers: Tellers = {
  'label.created': teller(['label'], (event, context) =>
    tellLabel(context, event, { action: 'created', find: ({ id }) => findLabelById(context.db, id, event.data.label) }),
  ),
  'label.edited': teller(['label'], (event, context) =>
    tellLabel(context, event, {
      action: 'edited',
      find: ({ id }) => findLabelById(context.db, id, event.data.label),
      more: changesOf(event.data.from),
    }),
  ),
  'label.deleted': teller(['label'], (event, context) =>
    tellLabel(context, event, { action: 'deleted', find: async () => event.data.was && revived(event.data.was, []) }),
  ),
};

export const milestoneTellers: Tellers = {
  'milestone.created': teller(['milestone'], (event, context) => milestoneThere('created', context, event)),
  'milestone.edited': teller(['milestone'], (event, context) =>
    milestoneThere('edited', context, event, changesOf(event.data.from)),
  ),
  'milestone.closed': teller(['milestone'], (event, context) => milestoneThere('closed', context, event)),
  'milestone.opened': teller(['milestone'], (event, context) => milestoneThere('opened', context, event)),
  'milestone.deleted': teller(['milestone'], (event, context) =>
    tellMilestone(context, event, {
      action: 'deleted',
      find: async () =>
        event.data.was && revived<MilestoneRow>(event.data.was, ['created_at', 'updated_at', 'due_on', 'closed_at']),
    }),
  ),
};
