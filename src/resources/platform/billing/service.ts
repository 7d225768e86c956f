import type { ServiceParts } from '#resources/service-parts.ts';
import { type Prices, readPrices } from './prices.ts';

declare module '#endpoint/services.ts' {
  interface FamilySettings {
    /** The file of prices. Omitted: nothing costs anything. */
    prices?: string | undefined;
  }
  interface FamilyServices {
    /** What things that are measured cost. */
    readonly prices: Prices;
  }
}

export const makePrices = ({ settings }: ServiceParts): Promise<Prices> => readPrices(settings.prices);
