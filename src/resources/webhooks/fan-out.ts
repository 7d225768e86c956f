import { createHash } from 'node:crypto';
import { linksOf } from '#endpoint/links.ts';
import type { Services } from '#endpoint/services.ts';
import type { EventKind } from '#events/catalogue.ts';
import { type Recorded, subscription } from '#events/subscription.ts';
import { gather, grouped } from '#lib/collections.ts';
import { emitBody } from '#vocabulary/body.ts';
import { type NewDelivery, queueDeliveries } from '#webhooks/queue.ts';
import { findListeners, type Listener } from './listeners.ts';
import { payloadParts } from './payloads/parts.ts';
import type { Told } from './payloads/payload.ts';
import { namesOf, tell, toldKinds } from './payloads/tellers.ts';
import { largestPayloadNow } from './quota.ts';

/** Queues the deliveries of an event: for every hook that listens, one for each webhook event that the event becomes. */
export const tellWebhooks = subscription<EventKind, Services>({
  name: 'webhooks.tell',
  on: toldKinds,
  attempts: 25,
  async run(event, { db, change, services, now }) {
    const listeners = await findListeners(db, event, namesOf(event));
    const limits = services.resourceLimits.webhooks;
    // One address after the other, so that no more than its payloads are in memory. A repeated job adds what is missing.
    for (const [base, group] of grouped(listeners, (listener) => services.url ?? listener.base_url)) {
      const told = await tell(event, { db, git: services.git, links: linksOf(base) });
      const deliveries = told.map((one) => deliveryOf(event, one, group, services));
      const payloads = gather(deliveries, 'payload');
      await change(async (tx) => {
        const largest = await largestPayloadNow(tx, event.owner, payloads, limits);
        await queueDeliveries(tx, deliveries, { now, largest });
      });
    }
  },
});

const deliveryOf = (event: Recorded, told: Told, listeners: readonly Listener[], { vocabulary }: Services): NewDelivery => ({
  guid: guidOf(event, told),
  event: told.name,
  action: told.action,
  repository_id: event.repository ?? null,
  payload: JSON.stringify(emitBody(vocabulary, told.body, payloadParts)),
  names_installation: 'installation' in told.body,
  hooks: listeners.filter((listener) => listener.hears(told.name)),
});

/** The GUID of a webhook event. It is computed, so that all hooks get the same, and a repeated job gets it again. */
function guidOf({ id }: Recorded, { name, action }: Told): string {
  const hex = createHash('sha256').update(`${id} ${name} ${action}`).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-');
}
