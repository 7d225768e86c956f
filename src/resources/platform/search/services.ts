import { type ConcurrencyLimiter, concurrencyLimiter } from '#lib/concurrency-limiter.ts';
import type { ServiceParts } from '#resources/service-parts.ts';
import { searchLimits } from '#search/limits.ts';

declare module '#endpoint/services.ts' {
  interface FamilyServices {
    readonly searchLimiter: ConcurrencyLimiter;
  }
}

export function makeSearchLimiter({ services, connections }: ServiceParts): ConcurrencyLimiter {
  const limits = services.resourceLimits.of(searchLimits);
  // Searches may be slow. They use at most half of the connections, so that other requests get one.
  const total = Math.max(1, Math.min(limits.concurrent, Math.floor(connections / 2)));
  return concurrencyLimiter('search.concurrent', {
    ...limits,
    total,
    anonymous: Math.min(limits.anonymous, Math.ceil(total / 2)),
    // A search passes its own waiting time, which is part of its time budget.
    waitingTime: 0,
  });
}
