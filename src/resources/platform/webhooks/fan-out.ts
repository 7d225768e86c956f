import { createHash } from 'node:crypto';
import type { Tx } from '#database/connect.ts';
import type { JobContext } from '#endpoint/job-context.ts';
import { linksOf } from '#endpoint/links.ts';
import { type Needs, openScope, type Scope } from '#endpoint/scope.ts';
import type { EventKind } from '#events/kinds.ts';
import { type AnyBatchSubscription, batchSubscription, type Recorded } from '#events/subscription.ts';
import { getOrThrow, grouped } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import type { LimitValues } from '#lib/limits.ts';
import type { WebhookEvent } from '#resources/event-kinds.ts';
import { emitBody } from '#vocabulary/body.ts';
import { type NewDelivery, queueDeliveries } from '#webhook-delivery/queue.ts';
import { webhookLimits } from './limits.ts';
import { largestPayloadNow } from './quota.ts';
import { loadSubscribedHooks, type SubscribedHook } from './subscribed-hooks.ts';
import type { PayloadsOf, WebhookEvents } from './webhook-events.ts';

/** The number of payloads that are built at the same time. */
const buildsInParallel = 50;
/** Deliveries are written once their payloads have this many characters, so that a batch isn't completely in memory. */
const charactersPerWrite = 4 * 1024 * 1024;

/** Queues the deliveries of events: one for every subscribed hook and every webhook event that an event becomes. */
export const fanOutWebhooks = (events: WebhookEvents): AnyBatchSubscription<JobContext> =>
  batchSubscription<EventKind, JobContext>({
    name: 'webhooks.tell',
    on: events.kinds,
    attempts: 25,
    // An app learns of its installation before the events that happen there.
    async runAll(all, { db, change, scope, services, now }) {
      const hooks = await loadSubscribedHooks(
        db,
        all.map((event) => ({ event, types: events.typesOf(event), onlyApp: events.onlyAppOf(event) })),
      );
      const { vocabulary } = services;
      const scopesByBase = new Map<string, Scope & Needs<'refRules'>>(services.url === undefined ? [] : [[services.url, scope]]);
      const builderOf = (base: string): PayloadsOf => {
        const within = scopesByBase.get(base) ?? openScope({ ...scope, links: linksOf(base, services.ssh) });
        scopesByBase.set(base, within);
        return events.builderOf(within);
      };
      const build = async (event: Recorded): Promise<Built[]> => {
        const built: Built[] = [];
        for (const [base, group] of grouped(hooks.get(event) ?? [], (hook) => services.url ?? hook.base_url))
          for (const item of await builderOf(base)(event)) {
            const payload = JSON.stringify(emitBody(vocabulary, item.body, events.parts));
            built.push({ owner: event.owner, delivery: { ...deliveryOf(event, item, group), payload } });
          }
        return built;
      };
      // A repeated batch adds the missing deliveries.
      const write = (built: readonly Built[]) =>
        change(async (scope) =>
          queueDeliveries(scope.tx, await limited(scope.tx, built, services.resourceLimits.of(webhookLimits)), { now }),
        );
      let waiting: Built[] = [];
      const delivered = all.filter((event) => hooks.get(event)?.length);
      for (const some of chunksOf(delivered, events.isLarge)) {
        waiting.push(...(await Promise.all(some.map(build))).flat());
        if (waiting.reduce((sum, { delivery }) => sum + delivery.payload.length, 0) < charactersPerWrite) continue;
        await write(waiting);
        waiting = [];
      }
      if (waiting.length > 0) await write(waiting);
    },
  });

type Built = { readonly owner: Id<'accounts'>; readonly delivery: NewDelivery };

/** Events in order, in groups that are built together. Events with large payloads form groups of their own. */
function chunksOf(all: readonly Recorded[], isLarge: (event: Recorded) => boolean): Recorded[][] {
  const chunks: Recorded[][] = [];
  for (const event of all) {
    const last = chunks.at(-1);
    const fits = last !== undefined && last.length < buildsInParallel && !isLarge(event) && !last.some(isLarge);
    if (fits) last.push(event);
    else chunks.push([event]);
  }
  return chunks;
}

/** The deliveries, with the maximum size of payloads of their owner that are currently stored and sent. */
async function limited(tx: Tx, built: readonly Built[], limits: LimitValues<typeof webhookLimits>): Promise<NewDelivery[]> {
  const sizes = new Map<Id<'accounts'>, number>();
  for (const [owner, own] of grouped(built, (each) => each.owner)) {
    const payloads = own.map(({ delivery }) => delivery.payload);
    sizes.set(owner, await largestPayloadNow(tx, owner, payloads, limits));
  }
  return built.map(({ owner, delivery }) => ({ ...delivery, maxBytes: getOrThrow(sizes, owner) }));
}

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
