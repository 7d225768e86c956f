import type { Limiters } from '#endpoint/limiters.ts';
import type { Services } from '#endpoint/services.ts';
import { type ConcurrencyLimiter, concurrencyLimiter } from '#lib/concurrency-limiter.ts';
import { requestLimits } from '#lib/limits/requests.ts';
import type { ResourceLimits } from '#lib/limits.ts';
import { transferLimits } from '#objects/limits.ts';

/** Opens the limiters of a process. */
export function openLimiters(limits: ResourceLimits): Limiters {
  const [requests, transfers] = [limits.of(requestLimits), limits.of(transferLimits)];
  return {
    requests: concurrencyLimiter('requests.concurrent', {
      ...requests,
      total: requests.concurrent,
      perCaller: requests.concurrentPerCaller,
      spare: requests.concurrentSpare,
      anonymous: requests.concurrentAnonymous,
    }),
    large: concurrencyLimiter('requests.large', { ...requests, total: requests.large, perCaller: 1, anonymous: 1 }),
    live: concurrencyLimiter('requests.live', {
      total: requests.live,
      perCaller: requests.livePerCaller,
      anonymous: requests.liveAnonymous,
      waiting: 0,
      waitingTime: 0,
    }),
    bodies: concurrencyLimiter('requests.bodiesTogether', {
      ...requests,
      total: requests.bodiesTogether,
      perCaller: requests.bodiesPerCaller,
      anonymous: requests.bodiesAnonymous,
      perAddress: requests.bodiesPerAddress,
      contendedTime: requests.bodiesContendedTime,
      contendedRate: requests.bodiesContendedRate,
    }),
    transfers: concurrencyLimiter('releases.transfers', {
      ...requests,
      total: transfers.transfers,
      perCaller: transfers.transfersPerCaller,
      spare: transfers.transfersSpare,
      waiting: transfers.transfersWaiting,
      anonymous: transfers.transfersAnonymous,
      perAddress: transfers.transfersPerAddress,
      contendedTime: transfers.transferContendedTime,
      contendedRate: transfers.transferContendedRate,
    }),
  };
}

const isLimiter = (service: unknown): service is ConcurrencyLimiter =>
  typeof service === 'object' && service !== null && 'tryAcquire' in service;

/** All limiters of a process: those of requests, of git processes, and of the families that have one as a service. */
export const allLimiters = (services: Services): ConcurrencyLimiter[] => [
  ...Object.values(services.limiters),
  services.git.commands,
  services.git.transfers,
  ...Object.values(services).filter(isLimiter),
];
