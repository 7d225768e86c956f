import { createHash } from 'node:crypto';
import { linksOf } from '#endpoint/links.ts';
import type { Services } from '#endpoint/services.ts';
import type { EventKind } from '#events/kinds.ts';
import { type AnySubscription, type Recorded, subscription } from '#events/subscription.ts';
import { gather, grouped } from '#lib/collections.ts';
import type { WebhookEvent } from '#resources/event-kinds.ts';
import { emitBody } from '#vocabulary/body.ts';
import { type NewDelivery, queueDeliveries } from '#webhook-delivery/queue.ts';
import { largestPayloadNow } from './quota.ts';
import { findSubscribedHooks, type SubscribedHook } from './subscribed-hooks.ts';
import type { WebhookEvents } from './webhook-events.ts';

/** Queues the deliveries of an event: for every subscribed hook, one for each webhook event that the event becomes. */
export const fanOutWebhooks = (events: WebhookEvents): AnySubscription<Services> =>
  subscription<EventKind, Services>({
    name: 'webhooks.tell',
    on: events.kinds,
    attempts: 25,
    async run(event, { db, change, services, now }) {
      const hooks = await findSubscribedHooks(db, event, events.typesOf(event));
      const limits = services.resourceLimits.webhooks;
      const { vocabulary } = services;
      // One address at a time, so that only its payloads are in memory. A repeated job adds the missing deliveries.
      for (const [base, group] of grouped(hooks, (hook) => services.url ?? hook.base_url)) {
        const built = await events.build(event, { db, git: services.git, links: linksOf(base) });
        const deliveries = built.map((item) => ({
          ...deliveryOf(event, item, group),
          payload: JSON.stringify(emitBody(vocabulary, item.body, events.parts)),
        }));
        const payloads = gather(deliveries, 'payload');
        await change(async (tx) => {
          const largest = await largestPayloadNow(tx, event.owner, payloads, limits);
          await queueDeliveries(tx, deliveries, { now, maxBytes: largest });
        });
      }
    },
  });

const deliveryOf = (event: Recorded, built: WebhookEvent, hooks: readonly SubscribedHook[]): Omit<NewDelivery, 'payload'> => ({
  guid: guidOf(event, built),
  event: built.type.name,
  action: built.action,
  repository_id: event.repository ?? null,
  names_installation: 'installation' in built.body,
  hooks: hooks.filter((hook) => hook.subscribesTo(built.type)),
});

/** The GUID of a webhook event. It is derived from the event, so that it is the same for all hooks and for a repeated job. */
function guidOf({ id }: Recorded, { type, action }: WebhookEvent): string {
  const hex = createHash('sha256').update(`${id} ${type.name} ${action}`).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-');
}
