// What is measured, and its names.
import type { Prices } from './prices.ts';
import type { Rate } from './rate-store.ts';

/** The product of the minutes of runners, and of the storage of jobs' files. */
export const product = 'actions';
/** The product of what people use of the assistant. */
export const assistantProduct = 'assistant';

export type Product = typeof product | typeof assistantProduct;

/** Whether this is the name of a product whose usage is measured. */
export const isProduct = (text: string): boolean => text === product || text === assistantProduct;

const minutes = { product, unit_type: 'Minutes', unit_size: 1 } as const;
const gigabyteHours = { product, unit_type: 'GigabyteHours', unit_size: 2 ** 30 } as const;

const systems = { linux: 'linux', windows: 'windows', win: 'windows', darwin: 'macos', macos: 'macos' } as const;

const systemOf = (text: string): (typeof systems)[keyof typeof systems] => {
  const name = text.toLowerCase().split('-')[0] ?? '';
  return Object.hasOwn(systems, name) ? systems[name as keyof typeof systems] : 'linux';
};

/** The runner of a job: a hosted runner, by its size, or a self-hosted one. */
export type Ran = { readonly os: string; readonly size: string | null };

/** The SKU of a runner's minutes, for example `actions_linux_4_core` or `actions_self_hosted_linux`. */
export const skuOf = ({ os, size }: Ran): string =>
  size === null
    ? `${product}_self_hosted_${systemOf(os)}`
    : `${product}_${systemOf(os)}_${size.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')}`;

/** The current rate of minutes. */
export function minuteRate(prices: Prices, ran: Ran): Rate {
  const sku = skuOf(ran);
  return { ...minutes, sku, price: prices.get(sku) ?? 0 };
}

/** The current rates of storage, for artifacts and caches. */
export const storageRates = (prices: Prices) => {
  const rate = (sku: string): Rate => ({ ...gigabyteHours, sku, price: prices.get(sku) ?? 0 });
  return { artifacts: rate('actions_storage'), caches: rate('actions_cache_storage') };
};

/** The minutes of a job, rounded up. */
export const minutesBetween = (from: Date, to: Date): number => Math.max(1, Math.ceil((to.getTime() - from.getTime()) / 60_000));
