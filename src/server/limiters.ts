import type { Limiters } from '#endpoint/limiters.ts';
import { concurrencyLimiter } from '#lib/concurrency-limiter.ts';
import { requestLimits } from '#lib/limits/requests.ts';
import type { ResourceLimits } from '#lib/limits.ts';
import { transferLimits } from '#objects/limits.ts';
import { workflowLimits } from '#resources/actions/workflows/index.ts';
import { oauthLimits } from '#resources/platform/oauth/index.ts';
import { appLimits } from '#resources/repositories/apps/index.ts';
import { searchLimits } from '#search/limits.ts';

/**
 * Opens the limiters of a process.
 * @param connections how many connections to PostgreSQL the process has for requests
 */
export function openLimiters(limits: ResourceLimits, connections: number): Limiters {
  const [requests, search, transfers] = [limits.of(requestLimits), limits.of(searchLimits), limits.of(transferLimits)];
  const [oauth, apps, workflows] = [limits.of(oauthLimits), limits.of(appLimits), limits.of(workflowLimits)];
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
      total: transfers.transfers,
      perCaller: transfers.transfersPerCaller,
      anonymous: transfers.transfersAnonymous,
      perAddress: transfers.transfersPerAddress,
      contendedTime: transfers.transferContendedTime,
      contendedRate: transfers.transferContendedRate,
    }),
    originTransfers: concurrencyLimiter('workflows.originTransfers', {
      ...requests,
      total: workflows.originTransfers,
      perCaller: workflows.originTransfersPerCaller,
      anonymous: workflows.originTransfersAnonymous,
      perAddress: workflows.originTransfersPerAddress,
      contendedTime: transfers.transferContendedTime,
      contendedRate: transfers.transferContendedRate,
    }),
    passwords: concurrencyLimiter('oauth.passwords', {
      ...oauth,
      total: oauth.passwords,
      perCaller: oauth.passwordsPerCaller,
      anonymous: oauth.passwords,
    }),
    keys: concurrencyLimiter('oauth.keys', { ...oauth, total: apps.keys, perCaller: apps.keys, anonymous: apps.keys }),
  };
}
