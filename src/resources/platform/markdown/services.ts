import { type ConcurrencyLimiter, concurrencyLimiter } from '#lib/concurrency-limiter.ts';
import type { ServiceParts } from '#resources/service-parts.ts';
import { imageLimits } from './limits.ts';

declare module '#endpoint/services.ts' {
  interface FamilyServices {
    /** Images that are loaded from other servers. */
    readonly imageLimiter: ConcurrencyLimiter;
  }
}

export function makeImageLimiter({ services: { resourceLimits } }: ServiceParts): ConcurrencyLimiter {
  const { together, perAddress, ...waiting } = resourceLimits.of(imageLimits);
  return concurrencyLimiter('images.together', { ...waiting, total: together, perCaller: perAddress, anonymous: together });
}
