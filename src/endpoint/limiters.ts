import type { ConcurrencyLimiter } from '#lib/concurrency-limiter.ts';

/** The limiters of one process. Those of git processes are in `GitStore`. */
export type Limiters = {
  /** Requests that are answered. */
  readonly requests: ConcurrencyLimiter;
  /** Replies without pages that may hold tens of thousands of items. */
  readonly large: ConcurrencyLimiter;
  /** Pages that are kept current. */
  readonly live: ConcurrencyLimiter;
  /** Bytes of request bodies in memory. */
  readonly bodies: ConcurrencyLimiter;
  /** Files of releases, artifacts and caches that are received and sent. */
  readonly transfers: ConcurrencyLimiter;
};
