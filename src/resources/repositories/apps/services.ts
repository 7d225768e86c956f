import { type ConcurrencyLimiter, concurrencyLimiter } from '#lib/concurrency-limiter.ts';
import type { ServiceParts } from '#resources/service-parts.ts';
import { type KnownClient, knownClientNames } from './client-ids.ts';
import { appLimits } from './limits.ts';

declare module '#endpoint/services.ts' {
  interface FamilySettings {
    /** The programs with built-in client ids that people may use to sign in. If omitted, all known ones. */
    knownClients?: readonly KnownClient[];
  }
  interface FamilyServices {
    /** The programs with built-in client ids that people may use to sign in. */
    readonly knownClients: readonly KnownClient[];
    /** Generation of key pairs of apps, which uses much processor time on the thread pool. */
    readonly appKeyLimiter: ConcurrencyLimiter;
  }
}

export const appServices = {
  knownClients: ({ settings }: ServiceParts) => settings.knownClients ?? knownClientNames,
  appKeyLimiter: ({ services }: ServiceParts) => {
    const { keys, ...waiting } = services.resourceLimits.of(appLimits);
    return concurrencyLimiter('oauth.keys', { ...waiting, total: keys, perCaller: keys, anonymous: keys });
  },
};
