import { type Caller, shareKeyOf, system } from './caller.ts';
import { Refusal } from './refusal.ts';

/** Releases the acquired slots. Further calls have no effect. */
export type Release = () => void;

export type ConcurrencyLimits = {
  /** The total number of slots. */
  readonly total: number;
  /** The number of slots that one caller may hold, with all callers of the same share. */
  readonly perCaller: number;
  /** A signed-in caller may hold more than `perCaller` while this many slots stay free. Omitted: never. */
  readonly spare?: number;
  /** The number of slots that all anonymous callers may hold together. */
  readonly anonymous: number;
  /** The number of slots that one anonymous caller, an address, may hold. Omitted: `perCaller`. */
  readonly perAddress?: number;
  /** After waiting for this long, in milliseconds, a caller ends the slowest work of others. Omitted: never. */
  readonly contendedTime?: number;
  /** Work with at least this rate, in bytes per second, isn't ended for others. */
  readonly contendedRate?: number;
  /** The length of one caller's queue. The system's own queue is unbounded. */
  readonly waiting: number;
  /** The maximum wait, in milliseconds. The system's own work waits without a limit. */
  readonly waitingTime: number;
};

/** Work that may be ended if other callers wait for its slot. */
export type EndableWork = {
  /**
   * The rate in bytes per second of the client that the work waits for; undefined if it doesn't wait for one, or hasn't for long
   * enough.
   */
  rate(): number | undefined;
  end(): void;
};

export type AcquireOptions = {
  slots?: number;
  waitingTime?: number;
  signal?: AbortSignal | undefined;
  /** The work that holds the slots. Omitted: it isn't ended for others. */
  work?: EndableWork;
};

export type ConcurrencyLimiter = {
  /** The name of the limit in refusals, metrics and the documentation, such as `git.commands`. */
  readonly name: string;
  /**
   * Waits for a slot, or for several (for example if slots are bytes). If a caller requests more slots than it may hold, it gets
   * that number.
   * @throws Refusal `too_many` if the caller's queue is full, `unavailable` after `waitingTime` milliseconds
   * @throws the reason of the signal if it is aborted
   */
  acquire(caller?: Caller, options?: AcquireOptions): Promise<Release>;
  /** Acquires slots without waiting; undefined if none are free or other requests of the caller wait. */
  tryAcquire(caller: Caller, slots?: number, work?: EndableWork): Release | undefined;
  /** The acquired slots, and the waiting requests. */
  readonly running: number;
  readonly waiting: number;
  /** The callers that hold slots or wait, by the keys of their shares, the busiest first. */
  callers(): { key: string; running: number; waiting: number }[];
};

type Waiter = { readonly slots: number; enter(): void };
type Queue = { readonly key: string; readonly kind: Caller['kind']; running: number; waiters: Set<Waiter> };
type Holder = { readonly queue: Queue; readonly slots: number; readonly work: EndableWork };

/**
 * A semaphore with fair queuing: waiting callers are served round-robin, so many requests of one caller delay only that caller.
 * Anonymous callers together get a part of the slots, which leaves some for signed-in callers. If others have waited for
 * `contendedTime`, work that waits for a slow client is ended, the slowest first.
 */
export function concurrencyLimiter(name: string, limits: ConcurrencyLimits): ConcurrencyLimiter {
  // A Map keeps insertion order, so the first queue is served next.
  const queues = new Map<string, Queue>();
  const holders = new Set<Holder>();
  const { spare = Number.POSITIVE_INFINITY, perAddress = limits.perCaller, contendedRate = 0 } = limits;
  let running = 0;
  let anonymous = 0;
  let waiting = 0;

  const queueOf = (caller: Caller): Queue => {
    const key = shareKeyOf(caller);
    const known = queues.get(key);
    if (known) return known;
    const queue: Queue = { key, kind: caller.kind, running: 0, waiters: new Set() };
    queues.set(key, queue);
    return queue;
  };

  const ownShare = Math.min(limits.total, limits.perCaller);
  const addressShare = Math.min(ownShare, limits.anonymous, perAddress);
  const shareOf = ({ kind }: Pick<Caller, 'kind'>): number => (kind === 'anonymous' ? addressShare : ownShare);

  const canRun = ({ kind, running: own }: Queue, slots: number): boolean => {
    if (running + slots > limits.total) return false;
    if (kind === 'anonymous') return own + slots <= addressShare && anonymous + slots <= limits.anonymous;
    return own + slots <= limits.perCaller || running + slots + spare <= limits.total;
  };

  const enter = (queue: Queue, slots: number, work: EndableWork | undefined): Release => {
    running += slots;
    queue.running += slots;
    if (queue.kind === 'anonymous') anonymous += slots;
    const holder = work && { queue, slots, work };
    if (holder) holders.add(holder);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      if (holder) holders.delete(holder);
      running -= slots;
      queue.running -= slots;
      if (queue.kind === 'anonymous') anonymous -= slots;
      removeIfEmpty(queue);
      runNext();
    };
  };

  const removeIfEmpty = (queue: Queue): void => {
    if (queue.running === 0 && queue.waiters.size === 0) queues.delete(queue.key);
  };

  /** Gives free slots to waiting requests, one caller after the other. */
  const runNext = (): void => {
    while (waiting > 0 && running < limits.total) {
      const next = [...queues.values()].find((queue) => {
        const [first] = queue.waiters;
        return first !== undefined && canRun(queue, first.slots);
      });
      const [waiter] = next?.waiters ?? [];
      if (!next || !waiter) return;
      // Moves this caller to the end of the rotation.
      queues.delete(next.key);
      queues.set(next.key, next);
      waiter.enter();
    }
  };

  /** Ends the slowest work of another caller if that makes room. Anonymous callers don't end the work of signed-in callers. */
  const endSlowest = (queue: Queue): void => {
    const [first] = queue.waiters;
    const isAnonymous = queue.kind === 'anonymous';
    if (!first || canRun(queue, first.slots) || queue.running + first.slots > shareOf(queue)) return;
    let slowest: { holder: Holder; rate: number } | undefined;
    for (const holder of holders) {
      if (holder.queue === queue || (isAnonymous && holder.queue.kind !== 'anonymous')) continue;
      const rate = holder.work.rate();
      if (rate !== undefined && rate < (slowest?.rate ?? contendedRate)) slowest = { holder, rate };
    }
    if (!slowest) return;
    holders.delete(slowest.holder);
    slowest.holder.work.end();
  };

  const tryEnter = (caller: Caller, requested: number, work?: EndableWork): Release | undefined => {
    const queue = queueOf(caller);
    const slots = Math.min(requested, shareOf(caller));
    if (queue.waiters.size === 0 && canRun(queue, slots)) return enter(queue, slots, work);
    removeIfEmpty(queue);
    return undefined;
  };

  return {
    name,
    tryAcquire: (caller, requested = 1, work) => tryEnter(caller, requested, work),
    async acquire(caller = system, { slots: requested = 1, waitingTime = limits.waitingTime, signal, work } = {}) {
      signal?.throwIfAborted();
      const release = tryEnter(caller, requested, work);
      if (release) return release;
      const queue = queueOf(caller);
      const slots = Math.min(requested, shareOf(caller));
      if (caller.kind !== 'system' && queue.waiters.size >= limits.waiting) {
        removeIfEmpty(queue);
        throw tooMany(name, 'Too many of your requests wait for their turn. Please wait for them, and send fewer at once.');
      }
      const { promise, resolve, reject } = Promise.withResolvers<Release>();
      const waiter: Waiter = {
        slots,
        enter() {
          stopWaiting();
          resolve(enter(queue, slots, work));
        },
      };
      const stopWaiting = (): void => {
        if (queue.waiters.delete(waiter)) waiting--;
        clearTimeout(timer);
        clearInterval(contention);
        signal?.removeEventListener('abort', onAbort);
      };
      const refuse = (error: unknown): void => {
        stopWaiting();
        removeIfEmpty(queue);
        runNext(); // requests behind this one may need fewer slots
        reject(error);
      };
      const onAbort = (): void => refuse(signal?.reason);
      const timer =
        caller.kind === 'system'
          ? undefined
          : setTimeout(() => refuse(busy(name, 'The server is busy. Please try again in a moment.')), waitingTime);
      const contention = limits.contendedTime && setInterval(endSlowest, limits.contendedTime, queue);
      signal?.addEventListener('abort', onAbort, { once: true });
      queue.waiters.add(waiter);
      waiting++;
      return promise;
    },
    get running() {
      return running;
    },
    get waiting() {
      return waiting;
    },
    callers: () =>
      [...queues.values()]
        .map(({ key, running, waiters }) => ({ key, running, waiting: waiters.size }))
        .sort((a, b) => b.running + b.waiting - (a.running + a.waiting)),
  };
}

/** Runs work while it holds a slot for a caller. @throws Refusal like `acquire` */
export async function withSlot<T>(limiter: ConcurrencyLimiter, caller: Caller, work: () => Promise<T>): Promise<T> {
  const release = await limiter.acquire(caller);
  return work().finally(release);
}

const retryAfterSeconds = 5;

const tooMany = (limit: string, message: string): Refusal =>
  new Refusal('too_many', message, [], { limit, retryAfter: retryAfterSeconds });

const busy = (limit: string, message: string): Refusal =>
  new Refusal('unavailable', message, [], { limit, retryAfter: retryAfterSeconds });
