import { setTimeout as pause } from 'node:timers/promises';
import type { BackgroundLoop, BackgroundLoopContext } from '#jobs/background-loop.ts';
import { addSeconds } from '#lib/time.ts';
import { retryAt } from './backoff.ts';
import { deliveryConcurrency } from './concurrency.ts';
import { deliveryLimits } from './limits.ts';
import { hasFailed, isRetryable, type Outcome } from './outcome.ts';
import { outcomeStore } from './outcome-store.ts';
import { replyQuota } from './reply-quota.ts';
import { type SendServices, send } from './send.ts';
import type { WebhookSettings } from './settings.ts';
import { type DueHook, type HookCursor, type LeasedDelivery, leaseDue, listDueHooks, postponePaused } from './take.ts';

type SenderServices = SendServices & { readonly webhooks: WebhookSettings };
type Context = BackgroundLoopContext<SenderServices>;

/** The duration of a lease, as a multiple of the time limit of a delivery. */
const leaseFactor = 3;
/** The pause before an empty queue is read again, for retried deliveries. New deliveries are signalled. */
const idleMs = 4_000;
/** The same pause while deliveries are being sent. */
const busyMs = 150;
/** The time to wait for further deliveries to end, so that they are handled in one batch. */
const gatherMs = 4;

/**
 * Sends due deliveries, many concurrently. They aren't in the job queue, since slow receivers would occupy its few slots. A
 * process leases deliveries for a limited time. Then other processes may take them, so that a killed process loses none. If it
 * had already sent a delivery, that arrives twice, with the same GUID.
 */
export const deliveryLoop: BackgroundLoop<SenderServices> = {
  name: 'webhooks.deliver',
  async run(context, stopping) {
    const sender = openSender(context);
    while (!stopping.aborted) {
      const taken = await retryLater(context, () => sender.take());
      const wait = taken > 0 ? pause(gatherMs) : context.waits.next('deliveries', sender.running > 0 ? busyMs : idleMs);
      await Promise.race([sender.ended(), wait]);
      if (sender.running > 0) await pause(gatherMs);
    }
    await sender.finish();
  },
  async drain(context) {
    const sender = openSender(context);
    let total = 0;
    for (;;) {
      const taken = await sender.take();
      total += taken;
      if (taken === 0 && sender.running === 0 && !sender.hasMoreHooks) return total;
      if (sender.running > 0) await sender.ended();
      await sender.flush();
    }
  },
};

/** Logs an error and continues, since the database may be unavailable for a short time. */
async function retryLater({ log }: Context, take: () => Promise<number>): Promise<number> {
  try {
    return await take();
  } catch (error) {
    log.warn({ err: error }, 'taking webhook deliveries failed; trying again');
    return 0;
  }
}

function openSender(context: Context) {
  const { db, services, clock } = context;
  const limits = services.resourceLimits.of(deliveryLimits);
  const concurrency = deliveryConcurrency(limits);
  const limitReply = replyQuota(limits);
  const store = outcomeStore(context);
  const running = new Set<Promise<void>>();
  let wakeUp = Promise.withResolvers<void>();
  let position: HookCursor | undefined;

  const deliver = async (taken: LeasedDelivery): Promise<void> => {
    const ended = concurrency.begin(taken);
    const startTime = performance.now();
    const { headers, outcome } = await send(taken, services);
    const milliseconds = Math.round(performance.now() - startTime);
    ended(hasFailed(outcome) ? 'failed' : 'succeeded');
    wakeUp.resolve();
    const at = clock();
    await store.add({
      id: taken.id,
      hook: taken.hook_id,
      failures: taken.failures,
      event: taken.event,
      at,
      milliseconds,
      url: taken.url,
      headers,
      outcome: limitReply(taken.owner_id, outcome, at),
      retryAt: nextAttempt(services.webhooks, taken, outcome, at),
    });
  };

  const start = (taken: LeasedDelivery): void => {
    const work = deliver(taken)
      .catch((error) => context.log.error({ err: error, delivery: taken.id }, 'a webhook delivery failed to be recorded'))
      .finally(() => {
        running.delete(work);
        wakeUp.resolve();
      });
    running.add(work);
  };

  /** The webhooks with due deliveries that may be sent now. Each call continues where the previous one stopped. */
  const dueHooks = async (now: Date): Promise<DueHook[]> => {
    const { hooks, next } = await listDueHooks(db, { skip: concurrency.fullOwners(), from: position, now });
    position = next;
    await postponePaused(
      db,
      hooks.filter(({ paused }) => paused),
      now,
    );
    return hooks.filter(({ paused }) => !paused);
  };

  return {
    get running(): number {
      return running.size;
    },
    /** Whether the last call of `take` stopped before the last webhook. */
    get hasMoreHooks(): boolean {
      return position !== undefined;
    },
    /** Leases deliveries within the limits, and starts sending them. Returns their number. */
    async take(): Promise<number> {
      if (concurrency.isFull || store.waiting >= limits.concurrent) return 0;
      const now = clock();
      const { shares, bytes } = concurrency.admit(await dueHooks(now));
      if (shares.length === 0) return 0;
      const until = addSeconds(now, (leaseFactor * limits.sendTime) / 1000);
      const taken = await leaseDue(db, { shares, bytes, now, until });
      for (const one of taken) start(one);
      return taken.length;
    },
    /** Resolves when a delivery has ended. */
    async ended(): Promise<void> {
      await wakeUp.promise;
      wakeUp = Promise.withResolvers();
    },
    flush: () => store.flush(),
    async finish(): Promise<void> {
      await Promise.all(running);
    },
  };
}

const nextAttempt = (settings: WebhookSettings, { attempt }: LeasedDelivery, outcome: Outcome, now: Date): Date | undefined =>
  attempt <= settings.retries && isRetryable(outcome) ? retryAt(now, attempt, Math.random) : undefined;
