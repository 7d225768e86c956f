import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { change, type Db, isUnavailable } from '#database/connect.ts';
import type { SessionLock, SessionLocks } from '#database/session-locks.ts';
import { enqueueAll } from '#jobs/job.ts';
import { isJobStopped } from '#jobs/stopping.ts';
import { gather, unique } from '#lib/collections.ts';
import type { DeliveryPayload } from './dispatch.ts';
import type { Lane } from './lanes.ts';
import * as store from './outbox-store.ts';
import { type AnyBatchSubscription, isSubscribed, type Recorded } from './subscription.ts';

const batchSize = 200;

/**
 * After this many attempts that ended with the process, an event gets a job for each subscription. The job has a limited number
 * of attempts.
 */
const maxTries = 2;

type Delivery = store.WaitingDelivery;
type Failure = { readonly delivery: Delivery; readonly error: unknown };

export type DeliveryOptions<Context> = {
  readonly db: Db;
  readonly log: Logger;
  readonly locks: SessionLocks;
  /** The context for delivering a batch. Its time is the batch's. */
  readonly contextNow: () => Context;
  readonly mayGoOn: () => boolean;
  /** Milliseconds after which the other subscriptions no longer wait for a slow one. */
  readonly patience: number;
  /** Called with a lane that received events. */
  readonly onWaiting: (lane: string) => void;
  /** Called with the remaining work of a subscription that the others no longer wait for. */
  readonly onLeft: (work: Promise<void>) => void;
  readonly stopping?: AbortSignal | undefined;
};

/**
 * Delivers the waiting events of a lane in batches, while `mayGoOn` returns true. Only one process at a time may do so. A failed
 * event gets a job of its own. After an interruption, undelivered events are delivered again. Returns the number of events.
 */
export async function deliverLane<Context>(lane: Lane<Context>, options: DeliveryOptions<Context>): Promise<number> {
  const { db, mayGoOn } = options;
  const own = lane.ownLanes ? [...lane.ownLanes.values()] : [];
  let total = 0;
  let delivered: readonly Delivery[] = [];
  while (mayGoOn()) {
    const { batch, waitingLanes } = await store.nextBatch(db, lane.name, { delivered, limit: batchSize, lanes: own });
    if (batch.length === 0) return total;
    delivered = await deliverBatch(lane, batch, new Set(waitingLanes), options);
    total += batch.length;
  }
  if (delivered.length > 0) await store.removeDeliveries(db, lane.name, delivered);
  return total;
}

/** The events of a batch for one subscription. */
type Part<Context> = { readonly subscription: AnyBatchSubscription<Context>; readonly own: readonly Delivery[] };
type Running<Context> = Part<Context> & { readonly result: Promise<Result<Context>> };
type Result<Context> = Part<Context> & Outcome & { readonly forJobs: readonly Delivery[] };
type Left<Context> = Running<Context> & { readonly lane: string; readonly lock: SessionLock };

/** Delivers a batch to all subscriptions at the same time. Returns the deliveries to remove from the lane. */
async function deliverBatch<Context>(
  lane: Lane<Context>,
  batch: readonly Delivery[],
  waitingLanes: ReadonlySet<string>,
  options: DeliveryOptions<Context>,
): Promise<readonly Delivery[]> {
  const parts = lane.subscriptions
    .map((subscription) => ({ subscription, own: batch.filter(({ event }) => event && isSubscribed(subscription, event)) }))
    .filter(({ own }) => own.length > 0);
  const isBehind = ({ subscription }: Part<Context>): boolean => waitingLanes.has(lane.ownLanes?.get(subscription) ?? '');
  const context = options.contextNow();
  const running = parts
    .filter((part) => !isBehind(part))
    .map((part): Running<Context> => ({ ...part, result: deliverPart(part, context, options) }));
  const left = await leaveSlow(lane, running, options);
  try {
    const results = await allResults(
      running.filter((one) => !left.some(({ subscription }) => subscription === one.subscription)),
    );
    const undone = new Set(results.flatMap(({ own, delivered, failed }) => undoneOf(own, delivered, failed)));
    const done = batch.filter((delivery) => !undone.has(delivery));
    const behind = [
      ...parts.filter(isBehind).map(({ subscription, own }) => ({ lane: lane.ownLanes?.get(subscription) ?? '', own, tries: 0 })),
      ...left.map(({ lane: name, own }) => ({ lane: name, own, tries: 1 })),
    ];
    if (behind.length === 0 && results.every(({ forJobs }) => forJobs.length === 0)) return done;
    const waiting = await change(options.db, async (tx) => {
      for (const result of results) await enqueueJobs(tx, result);
      await store.removeDeliveries(tx, lane.name, done);
      return store.insertDeliveries(tx, behind);
    });
    for (const one of left) options.onLeft(finishLeft(one, waiting, options));
    for (const { lane: name, tries } of behind) if (tries === 0) options.onWaiting(name);
    return [];
  } catch (error) {
    await abandonLeft(left);
    throw error;
  }
}

/**
 * Waits for subscriptions whose events stay in the shared lane, so that none gets them again while it still runs. Then it
 * releases their lanes.
 */
async function abandonLeft<Context>(left: readonly Left<Context>[]): Promise<void> {
  for (const { result, lock } of left) {
    await result.catch(() => undefined); // the batch is tried again
    await lock.release();
  }
}

/** All results. @throws the first error, after all have ended */
async function allResults<Context>(running: readonly Running<Context>[]): Promise<Result<Context>[]> {
  const settled = await Promise.allSettled(gather(running, 'result'));
  return settled.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
}

/** The events for which there was no time. */
const undoneOf = (own: readonly Delivery[], delivered: readonly Delivery[], failed: readonly Failure[]): Delivery[] => {
  const known = new Set([...delivered, ...gather(failed, 'delivery')]);
  return own.filter((delivery) => !known.has(delivery));
};

/** Delivers events to one subscription. */
async function deliverPart<Context>(
  { subscription, own }: Part<Context>,
  context: Context,
  { contextNow, log, stopping }: DeliveryOptions<Context>,
): Promise<Result<Context>> {
  const toJobs = new Set<number>();
  const leaveToJob = ({ id }: Recorded): void => void toJobs.add(id);
  let next: Context | undefined = context;
  const run = (events: readonly Recorded[]): Promise<void> => {
    // After a failure, data that was loaded before isn't reused.
    const used = next ?? contextNow();
    next = undefined;
    return subscription.runAll(events as never, { ...used, leaveToJob }); // it is subscribed to these kinds
  };
  const isDangerous = own.some(({ tries }) => tries >= maxTries);
  const { delivered, failed } = isDangerous
    ? { delivered: [], failed: own.map((delivery) => ({ delivery, error: new Error('The process ended meanwhile') })) }
    : await deliverParts(own, run, stopping);
  for (const { delivery, error } of failed)
    log.warn({ err: error, event: delivery.event_id, subscription: subscription.name }, 'an event gets a job of its own');
  const forJobs = [...gather(failed, 'delivery'), ...delivered.filter(({ event_id }) => toJobs.has(event_id))];
  return { subscription, own, delivered, failed, forJobs };
}

/**
 * Waits a while for subscriptions, and returns the ones that still run, each with the lock of its own lane. If another process
 * has that lane, the subscription isn't returned, and the batch waits for it.
 */
async function leaveSlow<Context>(
  { ownLanes }: Lane<Context>,
  running: readonly Running<Context>[],
  { locks, patience }: DeliveryOptions<Context>,
): Promise<Left<Context>[]> {
  if (!ownLanes || patience === Number.POSITIVE_INFINITY) return [];
  const slow = new Set(running);
  const all = Promise.all(running.map((one) => one.result.catch(() => undefined).then(() => slow.delete(one))));
  const waiting = new AbortController();
  await Promise.race([all, sleep(patience, undefined, waiting).catch(() => undefined)]);
  waiting.abort();
  const left: Left<Context>[] = [];
  for (const one of slow) {
    const lane = ownLanes.get(one.subscription) ?? '';
    const lock = await locks.tryTake(lane);
    if (lock) left.push({ ...one, lane, lock });
  }
  return left;
}

/** Waits until a slow subscription has finished its part of a batch, which is now in its own lane. */
async function finishLeft<Context>(
  { lane, lock, subscription, result }: Left<Context>,
  waiting: readonly store.Delivery[],
  { db, log, onWaiting }: DeliveryOptions<Context>,
): Promise<void> {
  try {
    const { own, delivered, failed, forJobs } = await result;
    const undone = new Set(gather(undoneOf(own, delivered, failed), 'event_id'));
    const done = waiting.filter((one) => one.lane === lane && !undone.has(one.event_id));
    await change(db, async (tx) => {
      await enqueueJobs(tx, { subscription, forJobs });
      await store.removeDeliveries(tx, lane, done);
    });
  } catch (error) {
    if (!isJobStopped(error)) log.warn({ err: error, subscription: subscription.name }, 'delivering events failed; trying again');
  } finally {
    await lock.release();
    onWaiting(lane);
  }
}

type Outcome = { readonly delivered: readonly Delivery[]; readonly failed: readonly Failure[] };

/**
 * Delivers events together, or if that fails, in halves, in order. Events for which there was no time before `stopping` are in
 * neither list. @throws if the database is unavailable or the worker stops
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

/** Adds jobs for failed or slow events. */
const enqueueJobs = <Context>(
  tx: Parameters<typeof enqueueAll>[0],
  { subscription: { name, attempts }, forJobs }: Pick<Result<Context>, 'subscription' | 'forJobs'>,
): Promise<void> =>
  enqueueAll<DeliveryPayload>(
    tx,
    { name, attempts },
    unique(gather(forJobs, 'event_id')).map((event) => ({ payload: { event }, options: { key: `${name}:${event}` } })),
  );
