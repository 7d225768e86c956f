import { setTimeout as sleep } from 'node:timers/promises';
import { change } from '#database/connect.ts';
import type { SessionLocks } from '#database/session-locks.ts';
import type { BackgroundLoop, BackgroundLoopContext } from '#jobs/background-loop.ts';
import type { JobContext } from '#jobs/job.ts';
import { isJobStopped } from '#jobs/stopping.ts';
import { deliverLane, type Lane } from './deliver.ts';
import { type Dispatched, dispatchedAtOnce, dispatchNext } from './dispatch.ts';
import { hasUndispatched, listWaiting } from './outbox-store.ts';
import { lanesOf, type Subscriber, takesBatches } from './subscription.ts';

/** The pause before the outbox is read, in which events gather. */
const gatherMs = 50;
/** The interval at which lanes are looked for that another process has dispatched to, or left when it ended, while there are events. */
const recheckMs = 1_000;
/** The interval of both looks where nothing has happened for a while: processes signal what they add. */
const idleMs = 5_000;
const idleAfterMs = 10_000;
const retryMs = 500;

type Context<Services> = BackgroundLoopContext<Services>;

/**
 * Drains the outbox: dispatches events, and delivers them in the lanes of the subscriptions that take batches. In a lane, one process
 * at a time delivers; a lane that is slow or fails delays no other.
 */
export function outboxLoop<Services>(
  subscribers: readonly Subscriber<Services>[],
  locks: SessionLocks,
): BackgroundLoop<Services> {
  const lanes = subscribers
    .filter(takesBatches)
    .flatMap((subscription) => lanesOf(subscription).map((lane): Lane<Services> => ({ lane, subscription })));
  const names = lanes.map(({ lane }) => lane);

  const dispatch = async ({ db }: Context<Services>): Promise<Dispatched> =>
    (await hasUndispatched(db)) ? change(db, (tx) => dispatchNext(tx, subscribers)) : { events: 0, lanes: [] };

  /** Delivers what waits in a lane, unless another process does. Returns the number of events. */
  const deliver = async (lane: Lane<Services>, context: Context<Services>, stopping?: AbortSignal): Promise<number> => {
    const lock = await locks.tryTake(lane.lane);
    if (!lock) return 0;
    const mayGoOn = () => lock.isHeld && !stopping?.aborted;
    const contextNow = () => jobContextOf(context, stopping);
    return deliverLane(lane, contextNow().db, { contextNow, mayGoOn, stopping }).finally(() => lock.release());
  };

  return {
    name: 'events.outbox',
    async run(context, stopping) {
      const pause = (ms: number) => sleep(ms, undefined, { signal: stopping }).catch(() => undefined);
      /** Logs an error and continues, since the database may be unavailable for a moment. */
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

      const runLane = async (lane: Lane<Services>): Promise<void> => {
        while (!stopping.aborted) {
          await wakeups.get(lane.lane)?.woken();
          await retryLater(`delivering in ${lane.lane}`, () => deliver(lane, context, stopping));
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
          if (events >= dispatchedAtOnce) continue;
          await context.waits.next('events', performance.now() - activeAt < idleAfterMs ? recheckMs : idleMs);
          await pause(gatherMs);
        }
      };
      await Promise.all([runDispatch(), ...lanes.map(runLane)]);
    },
    async drain(context) {
      let total = 0;
      for (let events = 1; events > 0; total += events) events = (await dispatch(context)).events;
      const waiting = new Set(await listWaiting(context.db, names));
      for (const lane of lanes) if (waiting.has(lane.lane)) total += await deliver(lane, context);
      return total;
    },
  };
}

function jobContextOf<Services>(context: Context<Services>, stopping?: AbortSignal): JobContext<Services> {
  const { db, services } = context.interruptible ?? context;
  return {
    db,
    change: (work) => change(db, work),
    services,
    log: context.log,
    now: context.clock(),
    ...(stopping ? { stopping } : {}),
  };
}

/** Lets one loop wait until another calls it. A call while it is busy is kept. */
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
