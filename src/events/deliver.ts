import { change, type Db, isUnavailable } from '#database/connect.ts';
import { enqueueAll, type JobContext } from '#jobs/job.ts';
import { isJobStopped } from '#jobs/stopping.ts';
import { gather, unique } from '#lib/collections.ts';
import type { DeliveryPayload } from './dispatch.ts';
import * as store from './outbox-store.ts';
import type { AnyBatchSubscription, Recorded } from './subscription.ts';

const defaultBatch = 200;

/** After so many tries that ended with the process, an event gets a job, which is tried a limited number of times. */
const maxTries = 2;

/** A lane of a subscription. */
export type Lane<Services> = { readonly lane: string; readonly subscription: AnyBatchSubscription<Services> };

type Delivery = store.WaitingDelivery;
type Failure = { readonly delivery: Delivery; readonly error: unknown };

type DeliveryOptions<Services> = {
  /** What a batch is delivered with: its time is that of the batch. */
  readonly contextNow: () => JobContext<Services>;
  readonly mayGoOn: () => boolean;
  readonly stopping?: AbortSignal | undefined;
};

/**
 * Delivers what waits in a lane, batch after batch, while `mayGoOn` says so. Only one process at a time may do so. An event that fails gets
 * a job of its own; after an interruption, what wasn't delivered is delivered again. Returns the number of events.
 */
export async function deliverLane<Services>(
  lane: Lane<Services>,
  db: Db,
  { contextNow, mayGoOn, stopping }: DeliveryOptions<Services>,
): Promise<number> {
  const limit = lane.subscription.batch ?? defaultBatch;
  let total = 0;
  let delivered: readonly Delivery[] = [];
  while (mayGoOn()) {
    const batch = await store.nextBatch(db, lane.lane, { delivered, limit });
    if (batch.length === 0) return total;
    delivered = await deliverBatch(lane, batch, contextNow(), stopping);
    total += batch.length;
  }
  if (delivered.length > 0) await store.removeDeliveries(db, lane.lane, delivered);
  return total;
}

/** Delivers a batch. Returns what has to be taken from the lane. */
async function deliverBatch<Services>(
  { lane, subscription }: Lane<Services>,
  batch: readonly Delivery[],
  context: JobContext<Services>,
  stopping?: AbortSignal,
): Promise<readonly Delivery[]> {
  const { db, log } = context;
  const [first] = batch;
  const isDangerous = first !== undefined && first.tries >= maxTries;
  const left = new Set<number>();
  const withLeaving = { ...context, leaveToJob: ({ id }: Recorded) => left.add(id) };
  const { delivered, failed } = isDangerous
    ? { delivered: [], failed: batch.map((delivery) => ({ delivery, error: new Error('The process ended meanwhile') })) }
    : await deliverParts(batch, (events) => subscription.runAll(events as never, withLeaving), stopping); // it is subscribed to these kinds
  for (const { delivery, error } of failed)
    log.warn({ err: error, event: delivery.event_id, subscription: subscription.name }, 'an event gets a job of its own');
  if (failed.length === 0 && left.size === 0) return delivered;
  const forJobs = [...gather(failed, 'delivery'), ...delivered.filter(({ event_id }) => left.has(event_id))];
  await moveToJobs(db, { lane, subscription }, { delivered, forJobs });
  return [];
}

type Outcome = { readonly delivered: readonly Delivery[]; readonly failed: readonly Failure[] };

/**
 * Delivers events at once, or, where that fails, in halves, in their order. Those for which there was no time before `stopping` are in
 * neither list. @throws where the database is unavailable or the worker stops
 */
export async function deliverParts(
  batch: readonly Delivery[],
  run: (events: readonly Recorded[]) => Promise<void>,
  stopping?: AbortSignal,
): Promise<Outcome> {
  const events = batch.flatMap(({ event }) => event ?? []);
  if (events.length === 0) return { delivered: batch, failed: [] };
  try {
    await run(events.sort((a, b) => a.id - b.id));
    return { delivered: batch, failed: [] };
  } catch (error) {
    if (isUnavailable(error) || isJobStopped(error)) throw error;
    const [only] = batch;
    if (batch.length === 1 && only) return { delivered: [], failed: [{ delivery: only, error }] };
  }
  const middle = Math.ceil(batch.length / 2);
  const outcomes: Outcome[] = [];
  for (const half of [batch.slice(0, middle), batch.slice(middle)])
    if (!stopping?.aborted) outcomes.push(await deliverParts(half, run, stopping));
  return {
    delivered: outcomes.flatMap(({ delivered }) => delivered),
    failed: outcomes.flatMap(({ failed }) => failed),
  };
}

type Moved = { readonly delivered: readonly Delivery[]; readonly forJobs: readonly Delivery[] };

/** Adds jobs for these events, and in the same transaction takes them and what was delivered from the table. */
async function moveToJobs<Services>(
  db: Db,
  { lane, subscription: { name, attempts } }: Lane<Services>,
  { delivered, forJobs }: Moved,
): Promise<void> {
  await change(db, async (tx) => {
    const entries = forJobs.map(({ event_id: event }) => ({ payload: { event }, options: { key: `${name}:${event}` } }));
    await enqueueAll<DeliveryPayload>(tx, { name, attempts }, entries);
    await store.removeDeliveries(tx, lane, unique([...delivered, ...forJobs]));
  });
}
