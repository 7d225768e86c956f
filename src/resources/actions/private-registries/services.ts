import type { ServiceParts } from '#resources/service-parts.ts';
import type { AddressOverrides } from './exchange/addresses.ts';
import { openExchanges, type RegistryExchanges } from './exchange/exchanges.ts';
import { registryLimits } from './limits.ts';

declare module '#endpoint/services.ts' {
  interface FamilySettings {
    /** Addresses of clouds and registries that replace the public ones. */
    registryAddresses?: AddressOverrides | undefined;
  }
  interface FamilyServices {
    readonly registryExchanges: RegistryExchanges;
  }
}

export const registryServices = {
  registryExchanges: ({ settings, services: { outbound, resourceLimits } }: ServiceParts) =>
    openExchanges({
      outbound,
      addresses: settings.registryAddresses ?? {},
      limits: resourceLimits.of(registryLimits),
    }),
};
