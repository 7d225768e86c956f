import { type ConcurrencyLimiter, concurrencyLimiter } from '#lib/concurrency-limiter.ts';
import { requestLimits } from '#lib/limits/requests.ts';
import type { ServiceParts } from '#resources/service-parts.ts';
import { codeScanningLimits } from './limits.ts';

declare module '#endpoint/services.ts' {
  interface FamilyServices {
    /** SARIF files that are read while their senders wait. */
    readonly sarifLimiter: ConcurrencyLimiter;
  }
}

export function makeSarifLimiter({ services: { resourceLimits } }: ServiceParts): ConcurrencyLimiter {
  const { readings: total } = resourceLimits.of(codeScanningLimits);
  return concurrencyLimiter('codeScanning.readings', { ...resourceLimits.of(requestLimits), total, perCaller: 1, anonymous: 1 });
}
