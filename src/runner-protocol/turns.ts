import { LRUCache } from 'lru-cache';

/** Lets equivalent runners take jobs in turns. */
export type Turns<Runner, Taken> = {
  /**
   * A job for a runner, when it is its turn. If equivalent runners found nothing at this version of the queue, it finds nothing
   * either.
   * @returns undefined if there is no job, and 'unknown' if its turn came after `until`, or the state of the queue is unknown
   */
  ask(runner: Runner, asking: Asking): Promise<Taken | 'unknown' | undefined>;
};

/** `until` is a time of `performance.now()`. Later, there isn't enough time for a job to reach the runner. */
type Asking = { readonly trusts: boolean; readonly signal: AbortSignal; readonly until: number };

type Waiting<Runner, Taken> = Asking & {
  readonly runner: Runner;
  readonly resolve: (taken: Taken | 'unknown' | undefined) => void;
  readonly reject: (error: unknown) => void;
};

/** The number of runners that take jobs together. Their transaction is short enough for others that wait for the same run. */
const together = 20;

/**
 * Turns within a process. Each new job wakes all waiting runners. Together they would block each other in the database, and each
 * would repeat the query of the first one. So runners of one kind that ask during a query take jobs together in the next one.
 * @param keyOf the properties of a runner that the queue checks, as a key
 * @param version the version of the queue
 * @param take takes jobs for runners of one kind. Runners that get none ask again, unless nobody gets one. Undefined: the state
 * of the queue is unknown
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
