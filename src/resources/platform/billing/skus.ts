// What is measured, and its names.
import type { Prices } from './prices.ts';
import type { Rate } from './rate-store.ts';

/** What a budget can stop. */
export type Product = 'actions' | 'assistant';

/** A measured SKU, or the SKUs whose names have a pattern. */
type MeasuredSku = Omit<Rate, 'product' | 'sku' | 'price'> & {
  readonly product: Product;
  readonly name: string | RegExp;
  /** Whether its usage is caused by users, who may have budgets for it. */
  readonly isOfUsers: boolean;
};

const minutes = { unit_type: 'Minutes', unit_size: 1 } as const;
const gigabyteHours = { unit_type: 'GigabyteHours', unit_size: 2 ** 30 } as const;
const ofActions = { product: 'actions', bundle: null } as const;
const ofAssistant = { product: 'assistant', isOfUsers: true } as const;

/** Minutes by a runner's operating system, and by its size if it is hosted. */
const minutesPattern = /^actions_((self_hosted_)?(linux|windows|macos)|(linux|windows|macos)_[a-z0-9_]+)$/;

/**
 * All that is measured. The names don't overlap. Usage of an assistant is measured if one is attached: its reviews, and the
 * tokens that its model reads and writes.
 */
const measuredSkus: readonly MeasuredSku[] = [
  { ...ofActions, name: minutesPattern, ...minutes, isOfUsers: true },
  { ...ofActions, name: 'actions_storage', ...gigabyteHours, isOfUsers: false },
  { ...ofActions, name: 'actions_cache_storage', ...gigabyteHours, isOfUsers: false },
  { ...ofAssistant, name: 'assistant_premium_request', unit_type: 'Requests', unit_size: 1, bundle: 'premium_requests' },
  { ...ofAssistant, name: 'assistant_ai_credit', unit_type: 'AICredits', unit_size: 1_000, bundle: 'ai_credits' },
];

/** The measured SKU with this name, in lower case. */
export const findSku = (sku: string): MeasuredSku | undefined =>
  measuredSkus.find(({ name }) => (typeof name === 'string' ? name === sku : name.test(sku)));

const ways = {
  ProductPricing: ({ product }: MeasuredSku, text: string) => product === text,
  SkuPricing: (sku: MeasuredSku, text: string) => findSku(text) === sku,
  BundlePricing: ({ bundle }: MeasuredSku, text: string) => bundle === text,
} as const;

/** The ways in which a budget names the usage that it is for. */
type BudgetType = keyof typeof ways;

/** What a budget for a product, a SKU or a bundle counts; empty if there is none with this name, in lower case. */
export const skusOf = (type: BudgetType, text: string): readonly MeasuredSku[] =>
  measuredSkus.filter((sku) => ways[type](sku, text));

/** What a budget counts: all SKUs of a product or of a bundle, or one SKU. */
export type BudgetSubject = { readonly budget_type: BudgetType; readonly product_sku: string };

/** Whether something that a budget counts has a price above zero. Otherwise nothing uses it up. */
export const isPriced = (prices: Prices, { budget_type: type, product_sku: text }: BudgetSubject): boolean =>
  [...prices].some(([name, price]) => {
    const sku = price > 0 ? findSku(name) : undefined;
    return sku !== undefined && (type === 'SkuPricing' ? name === text : ways[type](sku, text));
  });

/** The bundles, each of which is a set of SKUs. */
export const bundles: readonly string[] = [...new Set(measuredSkus.flatMap(({ bundle }) => bundle ?? []))];

/** The current rate of a measured SKU. */
export function rateOf(prices: Prices, sku: string): Rate {
  const found = findSku(sku);
  if (!found) throw new Error(`${sku} is nothing that is measured`);
  const { product, bundle, unit_type, unit_size } = found;
  return { product, bundle, sku, unit_type, unit_size, price: prices.get(sku) ?? 0 };
}

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
    ? `actions_self_hosted_${systemOf(os)}`
    : `actions_${systemOf(os)}_${size.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')}`;

/** The current rates of storage, for artifacts and caches. */
export const storageRates = (prices: Prices) => ({
  artifacts: rateOf(prices, 'actions_storage'),
  caches: rateOf(prices, 'actions_cache_storage'),
});

/** The minutes of a job, rounded up. */
export const minutesBetween = (from: Date, to: Date): number => Math.max(1, Math.ceil((to.getTime() - from.getTime()) / 60_000));
