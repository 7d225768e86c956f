import { type ConcurrencyLimiter, concurrencyLimiter } from './concurrency-limiter.ts';
import type { ResourceLimits } from './limits.ts';

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
  /** Replies without pages that may hold tens of thousands of items. */
  readonly large: ConcurrencyLimiter;
  /** SARIF files that are read while their senders wait. */
  readonly sarif: ConcurrencyLimiter;
};

/**
 * Opens the limiters of a process.
 * @param connections how many connections to PostgreSQL the process has for requests
 */
export function openLimiters(
  { requests, search, oauth, releases, workflows, codeScanning }: ResourceLimits,
  connections: number,
): Limiters {
  // Searches may be slow. They use at most half of the connections, so that other requests get one.
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
      perAddress: requests.bodiesPerAddress,
    }),
    // A search passes its own waiting time, which is part of its time budget.
    searches: concurrencyLimiter('search.concurrent', {
      ...search,
      total: searches,
      anonymous: Math.min(search.anonymous, Math.ceil(searches / 2)),
      waitingTime: 0,
    }),
    transfers: concurrencyLimiter('releases.transfers', {
      ...requests,
      total: releases.transfers,
      perCaller: releases.transfersPerCaller,
      anonymous: releases.transfersAnonymous,
      perAddress: releases.transfersPerAddress,
      contendedTime: releases.transferContendedTime,
      contendedRate: releases.transferContendedRate,
    }),
    originTransfers: concurrencyLimiter('workflows.originTransfers', {
      ...requests,
      total: workflows.originTransfers,
      perCaller: workflows.originTransfersPerCaller,
      anonymous: workflows.originTransfersAnonymous,
      perAddress: workflows.originTransfersPerAddress,
      contendedTime: releases.transferContendedTime,
      contendedRate: releases.transferContendedRate,
    }),
    passwords: concurrencyLimiter('oauth.passwords', {
      ...oauth,
      total: oauth.passwords,
      perCaller: oauth.passwordsPerCaller,
      anonymous: oauth.passwords,
    }),
    keys: concurrencyLimiter('oauth.keys', { ...oauth, total: oauth.keys, perCaller: oauth.keys, anonymous: oauth.keys }),
    large: concurrencyLimiter('requests.large', { ...requests, total: requests.large, perCaller: 1, anonymous: 1 }),
    sarif: concurrencyLimiter('codeScanning.readings', {
      ...requests,
      total: codeScanning.readings,
      perCaller: 1,
      anonymous: 1,
    }),
  };
}
