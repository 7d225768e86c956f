import { type Caller, system } from './caller.ts';
import { Refusal } from './refusal.ts';

/** Frees the place that was taken; more than one call has no further effect. */
export type Release = () => void;

export type ConcurrencyLimits = {
  /** Places in all. */
  readonly total: number;
  /** Places that one caller may hold. */
  readonly perCaller: number;
  /** Who is signed in may hold more than that while this many places stay free for others. Left out: never. */
  readonly spare?: number;
  /** Places that all callers who aren't signed in may hold together. */
  readonly anonymous: number;
  /** How many of one caller may wait. The server's own work isn't refused. */
  readonly waiting: number;
  /** Milliseconds that one waits at most. The server's own work waits for as long as it takes. */
  readonly waitingTime: number;
};

export type ConcurrencyLimiter = {
  /** How the limit is called in refusals, metrics and the documentation, as `git.commands`. */
  readonly name: string;
  /**
   * Waits for a place. Throws a Refusal: `too_many` where too many of the same caller wait already, `unavailable` after the time for
   * waiting, and `aborted` where the signal says that nobody waits any more. More than one place may be taken together, as where
   * places are bytes; who wants more than its share gets its share.
   */
  acquire(
    caller?: Caller,
    options?: { places?: number; waitingTime?: number; signal?: AbortSignal | undefined },
  ): Promise<Release>;
  /** Takes a place where one is free and nobody waits before; undefined where the caller has to wait. */
  tryAcquire(caller: Caller, places?: number): Release | undefined;
  /** How many places are taken, and how many wait. */
  readonly running: number;
  readonly waiting: number;
  /** The callers that hold places or wait, the greediest first. */
  callers(): { key: string; running: number; waiting: number }[];
};

type Waiter = { readonly places: number; enter(): void };
type Queue = { readonly caller: Caller; running: number; waiters: Set<Waiter> };

/**
 * Shares a number of places between callers. Those who wait are let in by turns, one of each caller, so that who asks for much waits
 * for itself. Who isn't signed in gets a part of the places only, so that the others always find one.
 */
export function concurrencyLimiter(name: string, limits: ConcurrencyLimits): ConcurrencyLimiter {
  // A Map keeps the order of insertion: the first queue is the one whose turn comes next.
  const queues = new Map<string, Queue>();
  const { spare = Number.POSITIVE_INFINITY } = limits;
  let running = 0;
  let anonymous = 0;
  let waiting = 0;

  const queueOf = (caller: Caller): Queue => {
    const known = queues.get(caller.key);
    if (known) return known;
    const queue: Queue = { caller, running: 0, waiters: new Set() };
    queues.set(caller.key, queue);
    return queue;
  };

  const shareOf = ({ kind }: Caller): number =>
    Math.min(limits.total, limits.perCaller, kind === 'anonymous' ? limits.anonymous : limits.total);

  const mayEnter = ({ caller, running: own }: Queue, places: number): boolean => {
    if (running + places > limits.total) return false;
    if (caller.kind === 'anonymous') return own + places <= limits.perCaller && anonymous + places <= limits.anonymous;
    return own + places <= limits.perCaller || running + places + spare <= limits.total;
  };

  const enter = (queue: Queue, places: number): Release => {
    running += places;
    queue.running += places;
    if (queue.caller.kind === 'anonymous') anonymous += places;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      running -= places;
      queue.running -= places;
      if (queue.caller.kind === 'anonymous') anonymous -= places;
      forget(queue);
      letIn();
    };
  };

  const forget = (queue: Queue): void => {
    if (queue.running === 0 && queue.waiters.size === 0) queues.delete(queue.caller.key);
  };

  /** Lets in whose turn it is, until the places are taken or nobody may enter. */
  const letIn = (): void => {
    while (waiting > 0 && running < limits.total) {
      const next = [...queues.values()].find((queue) => {
        const [first] = queue.waiters;
        return first !== undefined && mayEnter(queue, first.places);
      });
      const [waiter] = next?.waiters ?? [];
      if (!next || !waiter) return;
      // Its next turn comes after that of all others.
      queues.delete(next.caller.key);
      queues.set(next.caller.key, next);
      waiter.enter();
    }
  };

  const tryAcquire = (caller: Caller, wanted = 1): Release | undefined => {
    const queue = queueOf(caller);
    const places = Math.min(wanted, shareOf(caller));
    if (queue.waiters.size === 0 && mayEnter(queue, places)) return enter(queue, places);
    forget(queue);
    return undefined;
  };

  return {
    name,
    tryAcquire,
    async acquire(caller = system, { places: wanted = 1, waitingTime = limits.waitingTime, signal } = {}) {
      signal?.throwIfAborted();
      const release = tryAcquire(caller, wanted);
      if (release) return release;
      const queue = queueOf(caller);
      const places = Math.min(wanted, shareOf(caller));
      if (caller.kind !== 'system' && queue.waiters.size >= limits.waiting) {
        forget(queue);
        throw tooMany(name, 'Too many of your requests wait for their turn. Please wait for them, and send fewer at once.');
      }
      const { promise, resolve, reject } = Promise.withResolvers<Release>();
      const waiter: Waiter = {
        places,
        enter() {
          leave();
          resolve(enter(queue, places));
        },
      };
      const leave = (): void => {
        if (queue.waiters.delete(waiter)) waiting--;
        clearTimeout(timer);
        signal?.removeEventListener('abort', giveUp);
      };
      const refuse = (error: unknown): void => {
        leave();
        forget(queue);
        letIn(); // those behind it may want fewer places
        reject(error);
      };
      const giveUp = (): void => refuse(signal?.reason);
      const timer =
        caller.kind === 'system'
          ? undefined
          : setTimeout(() => refuse(busy(name, 'The server is busy. Please try again in a moment.')), waitingTime);
      signal?.addEventListener('abort', giveUp, { once: true });
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
        .map((queue) => ({ key: queue.caller.key, running: queue.running, waiting: queue.waiters.size }))
        .sort((a, b) => b.running + b.waiting - (a.running + a.waiting)),
  };
}

/** Does work while it holds a place for a caller. */
export async function inTurn<T>(limiter: ConcurrencyLimiter, caller: Caller, work: () => Promise<T>): Promise<T> {
  const release = await limiter.acquire(caller);
  return work().finally(release);
}

const retryAfterSeconds = 5;

const tooMany = (limit: string, message: string): Refusal =>
  new Refusal('too_many', message, [], { limit, retryAfter: retryAfterSeconds });

const busy = (limit: string, message: string): Refusal =>
  new Refusal('unavailable', message, [], { limit, retryAfter: retryAfterSeconds });
