import type { Tx } from '#database/connect.ts';
import { type EnqueueOptions, enqueueAll } from '#jobs/job.ts';
import { gather, keyed, unique } from '#lib/collections.ts';
import { sharedLaneOf } from './lanes.ts';
import * as store from './outbox-store.ts';
import { type AnySubscription, isSubscribed, type Recorded, type Subscriber, takesBatches } from './subscription.ts';

/** The payload of a job that delivers one event to one subscription. */
export type DeliveryPayload = { event: number };

/** The number of events in one transaction. */
export const eventsPerBatch = 500;

/** The number of dispatched events, and their lanes. */
export type Dispatched = { readonly events: number; readonly lanes: readonly string[] };

/**
 * Finds the subscriptions of the next events, in one transaction. For subscriptions that take batches, an event goes into a lane.
 * For each other subscription, it gets a job.
 */
export async function dispatchNext<Context>(tx: Tx, subscribers: readonly Subscriber<Context>[]): Promise<Dispatched> {
  const events = await store.takeUndispatched(tx, eventsPerBatch);
  if (events.length === 0) return { events: 0, lanes: [] };
  const batching = subscribers.filter(takesBatches);
  const jobs = subscribers.flatMap((subscriber) =>
    takesBatches(subscriber)
      ? []
      : events.filter((event) => isSubscribed(subscriber, event)).map((event) => ({ subscriber, event })),
  );
  const deliveries = events
    .filter((event) => batching.some((subscriber) => isSubscribed(subscriber, event)))
    .map((event) => ({ lane: sharedLaneOf(event), own: [{ owner_id: event.owner, event_id: event.id }], tries: 0 }));
  if (jobs.length > 0) await enqueueJobs(tx, jobs, await priorities(tx, events));
  await store.dispatchDeliveries(tx, events, deliveries);
  return { events: events.length, lanes: unique(gather(deliveries, 'lane')) };
}

type WantedJob<Context> = { readonly subscriber: AnySubscription<Context>; readonly event: Recorded };

/** Adds the jobs, in one statement for each subscription. If several have the same key, the last one counts. */
async function enqueueJobs<Context>(
  tx: Tx,
  jobs: readonly WantedJob<Context>[],
  priority: (event: Recorded) => number,
): Promise<void> {
  for (const [subscriber, own] of Map.groupBy(jobs, (job) => job.subscriber)) {
    const entries = own.map(({ event }) => ({
      payload: { event: event.id },
      options: optionsOf(subscriber, event, priority(event)),
    }));
    const last = keyed(entries, ({ options }) => options.key);
    await enqueueAll<DeliveryPayload>(tx, subscriber, [...last.values()]);
  }
}

function optionsOf<Context>(subscriber: AnySubscription<Context>, event: Recorded, priority: number): EnqueueOptions {
  const queue = subscriber.queue?.(event as never); // it is subscribed to this kind
  const key = subscriber.key?.(event as never) ?? String(event.id);
  return { key: `${subscriber.name}:${key}`, priority, ...(queue ? { queue } : {}) };
}

/** The priority of an owner's jobs falls after each of these numbers of events within a minute. */
const thresholds = [100, 1_000];

/** The priorities of event jobs, so that an owner with many events within a minute doesn't delay the jobs of others. */
async function priorities(tx: Tx, events: readonly Recorded[]): Promise<(event: Recorded) => number> {
  const byOwner = Map.groupBy(events, ({ owner }) => owner);
  const firsts = [...byOwner.values()].flatMap(([first]) => first ?? []);
  const recent = await store.countRecent(tx, firsts, Math.max(...thresholds));
  const numbers = new Map<Recorded, number>();
  for (const [owner, own] of byOwner) for (const [at, event] of own.entries()) numbers.set(event, (recent.get(owner) ?? 0) + at);
  return (event) => thresholds.filter((threshold) => (numbers.get(event) ?? 0) >= threshold).length;
}
