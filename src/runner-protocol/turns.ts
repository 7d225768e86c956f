import { LRUCache } from 'lru-cache';

/** Lets runners take turns that differ in nothing which the queue looks at. */
export type Turns = {
  /**
   * Takes a job when it is this runner's turn. Where another one like it has found nothing at this version of the queue, neither does this one.
   * @param key what the queue looks at, of the runner
   * @param take takes a job; undefined where none waits
   */
  ask<Taken>(
    key: string,
    asking: { version(): bigint; trusts: boolean; signal: AbortSignal },
    take: () => Promise<Taken | undefined>,
  ): Promise<Taken | undefined>;
};

/**
 * Turns within a process. Runners that wait are woken together by each job that comes: all at once they would be in each other's way in the
 * database, and each would learn there what the first one has learnt.
 */
export function openTurns(): Turns {
  const last = new Map<string, Promise<void>>();
  const emptyAt = new LRUCache<string, bigint>({ max: 10_000 });
  return {
    async ask(key, { version, trusts, signal }, take) {
      const before = last.get(key);
      const { promise, resolve } = Promise.withResolvers<void>();
      last.set(key, promise);
      try {
        await before;
        const asked = version();
        // Who has gone meanwhile must get no job.
        if (signal.aborted || (trusts && emptyAt.get(key) === asked)) return undefined;
        const taken = await take();
        if (taken === undefined) emptyAt.set(key, asked);
        return taken;
      } finally {
        resolve();
        if (last.get(key) === promise) last.delete(key);
      }
    },
  };
}
