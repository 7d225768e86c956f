import type { ServiceParts } from '#resources/service-parts.ts';
import { type Prices, readPrices } from './prices.ts';

declare module '#endpoint/services.ts' {
  interface FamilySettings {
    /** The file of prices. If omitted, everything is free. */
    prices?: string | undefined;
  }
  interface FamilyServices {
    /** The prices of measured usage. */
    readonly prices: Prices;
  }
}

export const makePrices = ({ settings }: ServiceParts): Promise<Prices> => readPrices(settings.prices);
