import { type ConcurrencyLimiter, concurrencyLimiter } from './concurrency-limiter.ts';
import type { ResourceLimits } from './limits.ts';

/** What one process shares between callers, beside the git processes, which `GitStore` shares. */
export type Limiters = {
  /** Requests that are answered. */
  readonly requests: ConcurrencyLimiter;
  /** Bytes of the bodies that are held. */
  readonly bodies: ConcurrencyLimiter;
  readonly searches: ConcurrencyLimiter;
  /** Passwords that are checked, and pairs of keys that are made: work that keeps a processor busy outside the event loop. */
  readonly passwords: ConcurrencyLimiter;
  readonly keys: ConcurrencyLimiter;
};

/** @param connections how many connections to PostgreSQL the process has for requests */
export function openLimiters({ requests, search, oauth }: ResourceLimits, connections: number): Limiters {
  // Searches may be slow. Together they take half of the connections at most, so that everything else finds one.
  const searches = Math.max(1, Math.min(search.concurrent, Math.floor(connections / 2)));
  return {
    requests: concurrencyLimiter('requests.concurrent', {
      ...requests,
      total: requests.concurrent,
      perCaller: requests.concurrentPerCaller,
      spare: requests.concurrentSpare,
      anonymous: requests.concurrentAnonymous,
    }),
    bodies: concurrencyLimiter('requests.bodiesTogether', {
      ...requests,
      total: requests.bodiesTogether,
      perCaller: requests.bodiesPerCaller,
      anonymous: requests.bodiesAnonymous,
    }),
    // How long a search waits is part of its own time budget.
    searches: concurrencyLimiter('search.concurrent', { ...search, total: searches, waitingTime: 0 }),
    passwords: concurrencyLimiter('oauth.passwords', {
      ...oauth,
      total: oauth.passwords,
      perCaller: oauth.passwordsPerCaller,
      anonymous: oauth.passwords,
    }),
    keys: concurrencyLimiter('oauth.keys', { ...oauth, total: oauth.keys, perCaller: oauth.keys, anonymous: oauth.keys }),
  };
}
