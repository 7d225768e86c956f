import { LRUCache } from 'lru-cache';

/** Lets runners take turns that differ in nothing which the queue looks at. */
export type Turns<Runner, Taken> = {
  /**
   * A job for a runner, when it is its turn. Where others like it have found nothing at this version of the queue, neither does this one.
   * @returns undefined where there is none, and 'unknown' where its turn came after `until`, or said nothing of the queue
   */
  ask(runner: Runner, asking: Asking): Promise<Taken | 'unknown' | undefined>;
};

/** `until` is a time of `performance.now()`: who waits for longer has no time left for a job to reach it. */
type Asking = { readonly trusts: boolean; readonly signal: AbortSignal; readonly until: number };

type Waiting<Runner, Taken> = Asking & {
  readonly runner: Runner;
  readonly resolve: (taken: Taken | 'unknown' | undefined) => void;
  readonly reject: (error: unknown) => void;
};

/** How many take jobs at once: a transaction of them is short enough for those that wait for the same run. */
const together = 20;

/**
 * Turns within a process. Runners that wait are woken together by each job that comes: all at once they would be in each other's way in the
 * database, and each would learn there what the first one has learnt. So those of one kind that ask while others take are the next to take, together.
 * @param keyOf what the queue looks at, of a runner
 * @param version the version of the queue
 * @param take takes jobs for runners of one kind; those that it gives none ask again, unless it gives none at all. Undefined says nothing of
 * the queue
 */
export function openTurns<Runner, Taken>({
  keyOf,
  version,
  take,
}: {
  keyOf: (runner: Runner) => string;
  version: () => bigint;
  take: (runners: readonly Runner[]) => Promise<ReadonlyMap<Runner, Taken> | undefined>;
}): Turns<Runner, Taken> {
  const queues = new Map<string, Waiting<Runner, Taken>[]>();
  const emptyAt = new LRUCache<string, bigint>({ max: 10_000 });

  const serve = async (key: string, queue: Waiting<Runner, Taken>[]): Promise<void> => {
    while (queue.length > 0) {
      const asked = version();
      const batch = queue.splice(0, together).filter(({ trusts, signal, until, resolve }) => {
        const isLate = signal.aborted || performance.now() >= until;
        const isKnown = trusts && emptyAt.get(key) === asked;
        if (isLate || isKnown) resolve(isKnown ? undefined : 'unknown');
        return !isLate && !isKnown;
      });
      if (batch.length === 0) continue;
      const left: Waiting<Runner, Taken>[] = [];
      try {
        const taken = await take(batch.map(({ runner }) => runner));
        if (taken?.size === 0) emptyAt.set(key, asked);
        for (const waiting of batch) {
          const own = taken ? taken.get(waiting.runner) : 'unknown';
          if (own === undefined && taken && taken.size > 0) left.push(waiting);
          else waiting.resolve(own);
        }
        queue.unshift(...left);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    queues.delete(key);
  };

  return {
    ask(runner, asking) {
      const { promise, resolve, reject } = Promise.withResolvers<Taken | 'unknown' | undefined>();
      const key = keyOf(runner);
      const known = queues.get(key);
      const queue = known ?? [];
      queue.push({ runner, ...asking, resolve, reject });
      if (!known) {
        queues.set(key, queue);
        void serve(key, queue);
      }
      return promise;
    },
  };
}
