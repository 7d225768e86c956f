// What is counted, and under which names.
import type { Prices } from './prices.ts';
import type { Rate } from './rate-store.ts';

/** The one product whose use is measured. Its SKUs are the minutes of runners, and what jobs keep. */
export const product = 'actions';

const minutes = { product, unit_type: 'Minutes', unit_size: 1 } as const;
const gigabyteHours = { product, unit_type: 'GigabyteHours', unit_size: 2 ** 30 } as const;

const systems = { linux: 'linux', windows: 'windows', win: 'windows', darwin: 'macos', macos: 'macos' } as const;

const systemOf = (text: string): (typeof systems)[keyof typeof systems] => {
  const name = text.toLowerCase().split('-')[0] ?? '';
  return Object.hasOwn(systems, name) ? systems[name as keyof typeof systems] : 'linux';
};

/** Who ran a job: a hosted runner by its size, or a runner of the organization's own. */
export type Ran = { readonly os: string; readonly size: string | null };

/** The SKU of the minutes of a runner, as `actions_linux_4_core`, or `actions_self_hosted_linux`. */
export const skuOf = ({ os, size }: Ran): string =>
  size === null
    ? `${product}_self_hosted_${systemOf(os)}`
    : `${product}_${systemOf(os)}_${size.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')}`;

/** The rate of minutes now. */
export function minuteRate(prices: Prices, ran: Ran): Rate {
  const sku = skuOf(ran);
  return { ...minutes, sku, price: prices.get(sku) ?? 0 };
}

/** The rates of storage now: of artifacts, and of caches. */
export const storageRates = (prices: Prices) => {
  const rate = (sku: string): Rate => ({ ...gigabyteHours, sku, price: prices.get(sku) ?? 0 });
  return { artifacts: rate('actions_storage'), caches: rate('actions_cache_storage') };
};

/** The minutes of a job: each one that it began. */
export const minutesBetween = (from: Date, to: Date): number => Math.max(1, Math.ceil((to.getTime() - from.getTime()) / 60_000));
