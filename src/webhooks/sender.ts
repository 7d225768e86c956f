import { setTimeout as pause } from 'node:timers/promises';
import type { Db } from '#database/connect.ts';
import type { Pump, PumpContext } from '#jobs/pump.ts';
import { addSeconds } from '#lib/time.ts';
import { retryAt } from './backoff.ts';
import { countFailures, removeToldHooks, type Sent, storeSent, type Taken, takeDue, throttle } from './deliveries.ts';
import { hasFailed, isWorthRetrying, type Outcome } from './outcome.ts';
import { openRooms } from './rooms.ts';
import { type SendServices, send } from './send.ts';
import type { WebhookSettings } from './settings.ts';

export type SenderServices = SendServices & { readonly webhooks: WebhookSettings };
type Context = PumpContext<SenderServices>;

/** Longer than a delivery may take. After this time, the process that took a delivery is held for dead. */
const leaseSeconds = 30;
/** The pause between looks at an empty queue. */
const idleMs = 150;
/** After a delivery has ended, others are waited for so long, so that all of them are handled together. */
const gatherMs = 4;

/**
 * Sends due deliveries, many at once. They don't go through the job queue, since hanging receivers would fill its few places. A
 * process takes deliveries for a limited time (a lease); then others may take them, so that a killed process loses none. One that
 * it had sent already arrives twice then, with the same GUID.
 */
export const deliveryPump: Pump<SenderServices> = {
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
      if (taken === 0 && sender.running === 0) return total;
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
  const { services, clock } = context;
  const rooms = openRooms();
  const store = openStore(context);
  const running = new Set<Promise<void>>();
  let wake = Promise.withResolvers<void>();

  const deliver = async (taken: Taken): Promise<void> => {
    rooms.begin(taken.hook_id);
    const began = performance.now();
    const { headers, outcome } = await send(taken, services);
    const milliseconds = Math.round(performance.now() - began);
    rooms.end(taken.hook_id, !hasFailed(outcome));
    wake.resolve();
    const at = clock();
    await store.add({
      id: taken.id,
      hook: taken.hook_id,
      event: taken.event,
      at,
      milliseconds,
      url: taken.url,
      headers,
      outcome,
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

  return {
    get running(): number {
      return running.size;
    },
    /** Takes deliveries as far as there is room, and begins to send them. Returns their number. */
    async take(): Promise<number> {
      const room = rooms.room();
      if (room.total <= 0) return 0;
      const now = clock();
      if (services.webhooks.retries > 0) await throttle(context.db, now);
      const taken = await takeDue(context.db, room, now, addSeconds(now, leaseSeconds));
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

/** Stores outcomes in groups: those that come while a statement is running go together into the next. */
function openStore({ db, services, clock }: { db: Db; services: SenderServices; clock: () => Date }) {
  let waiting: Sent[] = [];
  let writing: Promise<void> | undefined;

  const write = async (): Promise<void> => {
    while (waiting.length > 0) {
      const sent = waiting;
      waiting = [];
      await storeSent(db, sent);
      if (sent.some(({ event }) => event === 'meta')) await removeToldHooks(db);
      if (services.webhooks.retries > 0) await countFailures(db, sent, ({ outcome }) => isWorthRetrying(outcome), clock());
    }
  };
  const flush = (): Promise<void> => {
    writing ??= write().finally(() => {
      writing = undefined;
    });
    return writing;
  };
  return {
    async add(sent: Sent): Promise<void> {
      waiting.push(sent);
      await flush();
    },
    flush,
  };
}
