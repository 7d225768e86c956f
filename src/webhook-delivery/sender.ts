import { setTimeout as pause } from 'node:timers/promises';
import type { BackgroundLoop, BackgroundLoopContext } from '#jobs/background-loop.ts';
import { addSeconds } from '#lib/time.ts';
import { retryAt } from './backoff.ts';
import { deliveryConcurrency } from './concurrency.ts';
import { hasFailed, isWorthRetrying, type Outcome } from './outcome.ts';
import { outcomeStore } from './outcome-store.ts';
import { replyQuota } from './reply-quota.ts';
import { type SendServices, send } from './send.ts';
import type { WebhookSettings } from './settings.ts';
import { type DueHook, listDueHooks, postponePaused, type Taken, takeDue, type WalkPosition } from './take.ts';

export type SenderServices = SendServices & { readonly webhooks: WebhookSettings };
type Context = BackgroundLoopContext<SenderServices>;

/** A process that took a delivery is held for dead after this many times the time that a delivery may take. */
const leaseFactor = 3;
/** The pause between looks at an empty queue. */
const idleMs = 150;
/** After a delivery has ended, others are waited for so long, so that all of them are handled together. */
const gatherMs = 4;

/**
 * Sends due deliveries, many at once. They don't go through the job queue, since hanging receivers would fill its few places. A
 * process takes deliveries for a limited time (a lease); then others may take them, so that a killed process loses none. One that
 * it had sent already arrives twice then, with the same GUID.
 */
export const deliveryLoop: BackgroundLoop<SenderServices> = {
  name: 'webhooks.deliver',
  async run(context, stopping) {
    const sender = openSender(context);
    while (!stopping.aborted) {
      const taken = await mayFail(context, () => sender.take());
      await Promise.race([sender.ended(), pause(taken > 0 ? gatherMs : idleMs, undefined, { signal: stopping }).catch(() => 0)]);
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
      if (taken === 0 && sender.running === 0 && !sender.isWalking) return total;
      if (sender.running > 0) await sender.ended();
      await sender.flush();
    }
  },
};

/** Goes on where the database can't be reached for a moment: it is asked again. */
async function mayFail({ log }: Context, take: () => Promise<number>): Promise<number> {
  try {
    return await take();
  } catch (error) {
    log.warn({ err: error }, 'taking webhook deliveries failed; trying again');
    return 0;
  }
}

function openSender(context: Context) {
  const { db, services, clock } = context;
  const limits = services.resourceLimits.webhooks;
  const concurrency = deliveryConcurrency(limits);
  const keepReply = replyQuota(limits);
  const store = outcomeStore(context);
  const running = new Set<Promise<void>>();
  let wake = Promise.withResolvers<void>();
  let position: WalkPosition | undefined;

  const deliver = async (taken: Taken): Promise<void> => {
    const ended = concurrency.begin(taken);
    const began = performance.now();
    const { headers, outcome } = await send(taken, services);
    const milliseconds = Math.round(performance.now() - began);
    ended(hasFailed(outcome) ? 'failed' : 'succeeded');
    wake.resolve();
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
      outcome: keepReply(taken.owner_id, outcome, at),
      retryAt: nextAttempt(services.webhooks, taken, outcome, at),
    });
  };

  const start = (taken: Taken): void => {
    const work = deliver(taken)
      .catch((error) => context.log.error({ err: error, delivery: taken.id }, 'a webhook delivery failed to be recorded'))
      .finally(() => {
        running.delete(work);
        wake.resolve();
      });
    running.add(work);
  };

  /** The hooks with due deliveries that may be sent now. Each call goes on where the one before had to end. */
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
    /** Whether the last call of `take` left hooks for the next. */
    get isWalking(): boolean {
      return position !== undefined;
    },
    /** Takes deliveries as far as the limits allow, and begins to send them. Returns their number. */
    async take(): Promise<number> {
      if (concurrency.isFull || store.waiting >= limits.concurrent) return 0;
      const now = clock();
      const { shares, bytes } = concurrency.admit(await dueHooks(now));
      if (shares.length === 0) return 0;
      const until = addSeconds(now, (leaseFactor * limits.sendTime) / 1000);
      const taken = await takeDue(db, { shares, bytes, now, until });
      for (const one of taken) start(one);
      return taken.length;
    },
    /** Resolves when a delivery has ended. */
    async ended(): Promise<void> {
      await wake.promise;
      wake = Promise.withResolvers();
    },
    flush: () => store.flush(),
    async finish(): Promise<void> {
      await Promise.all(running);
    },
  };
}

const nextAttempt = (settings: WebhookSettings, { attempt }: Taken, outcome: Outcome, now: Date): Date | undefined =>
  attempt <= settings.retries && isWorthRetrying(outcome) ? retryAt(now, attempt, Math.random) : undefined;
