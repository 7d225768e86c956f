import { type ConcurrencyLimiter, concurrencyLimiter } from './concurrency-limiter.ts';
import type { ResourceLimits } from './limits.ts';

/** Places for work that keeps a processor busy outside the event loop. */
export type Limiters = { readonly passwords: ConcurrencyLimiter; readonly keys: ConcurrencyLimiter };

export const openLimiters = ({ oauth }: ResourceLimits): Limiters => ({
  passwords: concurrencyLimiter('oauth.passwords', {
    ...oauth,
    total: oauth.passwords,
    perCaller: oauth.passwordsPerCaller,
    anonymous: oauth.passwords,
  }),
  keys: concurrencyLimiter('oauth.keys', { ...oauth, total: oauth.keys, perCaller: oauth.keys, anonymous: oauth.keys }),
});
