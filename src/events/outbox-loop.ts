import { setTimeout as sleep } from 'node:timers/promises';
import { change } from '#database/connect.ts';
import type { SessionLocks } from '#database/session-locks.ts';
import type { BackgroundLoop, BackgroundLoopContext } from '#jobs/background-loop.ts';
import type { QueueContext } from '#jobs/job.ts';
import { isJobStopped } from '#jobs/stopping.ts';
import { gather } from '#lib/collections.ts';
import { type DeliveryOptions, deliverLane } from './deliver.ts';
import { type Dispatched, dispatchNext, eventsPerBatch } from './dispatch.ts';
import { type Lane, openLanes } from './lanes.ts';
import { hasUndispatched, listWaiting } from './outbox-store.ts';
import { type Subscriber, takesBatches } from './subscription.ts';

/** The pause before the outbox is read, so that events accumulate. */
const gatherMs = 50;
/**
 * While there are events: the interval of checks for lanes that another process has dispatched to, or left behind when it ended.
 */
const recheckMs = 1_000;
/** The interval of both checks after a quiet period. Processes signal new events. */
const idleMs = 5_000;
const idleAfterMs = 10_000;
const retryMs = 500;
/** Milliseconds after which subscriptions no longer wait for a slow one. */
const defaultPatience = 500;

type LoopContext<Services> = BackgroundLoopContext<Services>;

type OutboxOptions<Services, Context> = {
  readonly locks: SessionLocks;
  /** Makes the context of a batch. */
  readonly contextOf: (given: QueueContext, services: Services) => Context;
  /** Milliseconds after which subscriptions no longer wait for a slow one. Omitted: 500. */
  readonly patience?: number;
};

/**
 * Drains the outbox: dispatches events, and delivers them in lanes. In each lane, one process at a time delivers. A slow or
 * failing lane delays no other lane.
 */
export function outboxLoop<Services, Context>(
  subscribers: readonly Subscriber<Context>[],
  { locks, contextOf, patience = defaultPatience }: OutboxOptions<Services, Context>,
): BackgroundLoop<Services> {
  const lanes = openLanes(subscribers.filter(takesBatches));
  const names = gather(lanes, 'name');

  const dispatch = async ({ db }: LoopContext<Services>): Promise<Dispatched> =>
    (await hasUndispatched(db)) ? change(db, (tx) => dispatchNext(tx, subscribers)) : { events: 0, lanes: [] };

  type Delivering = Pick<DeliveryOptions<Context>, 'patience' | 'onWaiting' | 'onLeft' | 'stopping'>;

  /** Delivers the waiting events of a lane, unless another process does. Returns the number of events. */
  const deliver = async (lane: Lane<Context>, context: LoopContext<Services>, options: Delivering): Promise<number> => {
    const lock = await locks.tryTake(lane.name);
    if (!lock) return 0;
    const { stopping } = options;
    const mayGoOn = () => lock.isHeld && !stopping?.aborted;
    const { db, services } = context.interruptible ?? context;
    const { log, clock } = context;
    const contextNow = () => contextOf({ db, log, now: clock(), ...(stopping ? { stopping } : {}) }, services);
    return deliverLane(lane, { db, log, locks, contextNow, mayGoOn, ...options }).finally(() => lock.release());
  };

  return {
    name: 'events.outbox',
    async run(context, stopping) {
      const pause = (ms: number) => sleep(ms, undefined, { signal: stopping }).catch(() => undefined);
      /** Logs an error and continues, since the database may be unavailable for a short time. */
      const retryLater = async <T>(what: string, work: () => Promise<T>): Promise<T | undefined> => {
        try {
          return await work();
        } catch (error) {
          if (isJobStopped(error)) return undefined;
          context.log.warn({ err: error }, `${what} failed; trying again`);
          await pause(retryMs);
          return undefined;
        }
      };
      const wakeups = new Map(names.map((name) => [name, openWakeup()]));
      const wake = (woken: Iterable<string>): void => {
        for (const name of woken) wakeups.get(name)?.wake();
      };
      stopping.addEventListener('abort', () => wake(names));

      const left = new Set<Promise<void>>();
      const options: Delivering = {
        patience,
        stopping,
        onWaiting: (lane) => wake([lane]),
        onLeft(work) {
          left.add(work);
          void work.finally(() => left.delete(work));
        },
      };
      const runLane = async (lane: Lane<Context>): Promise<void> => {
        while (!stopping.aborted) {
          await wakeups.get(lane.name)?.woken();
          await retryLater(`delivering in ${lane.name}`, () => deliver(lane, context, options));
        }
      };
      const runDispatch = async (): Promise<void> => {
        let activeAt = performance.now();
        for (let checkedAt = 0; !stopping.aborted; ) {
          const dispatched = await retryLater('dispatching events', () => dispatch(context));
          wake(dispatched?.lanes ?? []);
          if (performance.now() - checkedAt > recheckMs) {
            checkedAt = performance.now();
            wake((await retryLater('looking for waiting events', () => listWaiting(context.db, names))) ?? []);
          }
          const events = dispatched?.events ?? 0;
          if (events > 0) activeAt = performance.now();
          if (events >= eventsPerBatch) continue;
          await context.waits.next('events', performance.now() - activeAt < idleAfterMs ? recheckMs : idleMs);
          await pause(gatherMs);
        }
      };
      await Promise.all([runDispatch(), ...lanes.map(runLane)]);
      await Promise.all(left);
    },
    async drain(context) {
      const options: Delivering = { patience: Number.POSITIVE_INFINITY, onWaiting: () => undefined, onLeft: () => undefined };
      let total = 0;
      for (let events = 1; events > 0; total += events) events = (await dispatch(context)).events;
      const waiting = new Set(await listWaiting(context.db, names));
      for (const lane of lanes) if (waiting.has(lane.name)) total += await deliver(lane, context, options);
      return total;
    },
  };
}

/** Lets one loop wait until another calls it. A call while it is busy isn't lost. */
function openWakeup() {
  let wakeup = Promise.withResolvers<void>();
  return {
    wake: () => wakeup.resolve(),
    async woken(): Promise<void> {
      await wakeup.promise;
      wakeup = Promise.withResolvers();
    },
  };
}
