import type { ConcurrencyLimiter } from '#lib/concurrency-limiter.ts';

/** The limiters of one process. Those of git processes are in `GitStore`. */
export type Limiters = {
  /** Requests that are answered. */
  readonly requests: ConcurrencyLimiter;
  /** Bytes of request bodies in memory. */
  readonly bodies: ConcurrencyLimiter;
  readonly searches: ConcurrencyLimiter;
  /** Files of releases, artifacts and caches that are received and sent. */
  readonly transfers: ConcurrencyLimiter;
  /** Requests for actions that are passed on to their origin. */
  readonly originTransfers: ConcurrencyLimiter;
  /** Checks of passwords, and generation of key pairs: both use much processor time on the thread pool. */
  readonly passwords: ConcurrencyLimiter;
  readonly keys: ConcurrencyLimiter;
};
