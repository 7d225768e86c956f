import { type ConcurrencyLimiter, concurrencyLimiter } from '#lib/concurrency-limiter.ts';
import { appLimits } from '#resources/repositories/apps/index.ts';
import type { ServiceParts } from '#resources/service-parts.ts';
import { oauthLimits } from './resource-limits.ts';

declare module '#endpoint/services.ts' {
  interface FamilyServices {
    /** Checks of passwords, which use much processor time on the thread pool. */
    readonly passwordLimiter: ConcurrencyLimiter;
  }
}

export function makePasswordLimiter({ services: { resourceLimits } }: ServiceParts): ConcurrencyLimiter {
  const { passwords, passwordsPerCaller } = resourceLimits.of(oauthLimits);
  const waiting = resourceLimits.of(appLimits);
  return concurrencyLimiter('oauth.passwords', {
    ...waiting,
    total: passwords,
    perCaller: passwordsPerCaller,
    // The rest is for those who signed in before at their address, whom strangers at many addresses must not keep waiting.
    anonymous: Math.max(1, passwords - 1),
  });
}
