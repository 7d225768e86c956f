// Counts usage.
import type { WriteScope } from '#endpoint/scope.ts';
import { unique } from '#lib/collections.ts';
import type { Id, RepositoryId } from '#lib/id.ts';
import { dayOf } from '#lib/time.ts';
import type { Prices } from './prices.ts';
import { putRates } from './rate-store.ts';
import { recordReachedBudgets } from './rules.ts';
import { rateOf } from './skus.ts';
import { addUsage } from './usage-store.ts';

/** What was used. */
type Use = {
  readonly organization: Id<'accounts'>;
  /** The repository, with its name if it is known; undefined for products that belong to none. */
  readonly repository: { readonly id: RepositoryId; readonly name: string | null } | undefined;
  /** Who caused it; undefined if nobody did. */
  readonly user: Id<'accounts'> | undefined;
  readonly sku: string;
  /** In minutes, requests or tokens: see the sizes of units. */
  readonly quantity: number;
  readonly at: Date;
};

/** The rows of current rates, by their SKUs. */
type RateIds = ReadonlyMap<string, Id<'billing_rates'>>;

/**
 * Counts usage at the current prices, and records the budgets that reach a threshold by it. Repeated calls count it again.
 * @returns the rates
 */
export async function countUses(scope: WriteScope, prices: Prices, uses: readonly Use[], now: Date): Promise<RateIds> {
  if (uses.length === 0) return new Map();
  const rates = new Map(unique(uses.map(({ sku }) => sku)).map((sku) => [sku, rateOf(prices, sku)]));
  const ids = await putRates(scope.tx, [...rates.values()]);
  const additions = uses.map(({ organization, repository, user, sku, quantity, at }) => ({
    organization_id: organization,
    day: dayOf(at),
    rate_id: rateIn(ids, sku),
    repository_id: repository?.id ?? null,
    repository_name: repository?.name ?? null,
    user_id: user ?? null,
    quantity,
  }));
  await addUsage(scope.tx, additions);
  await recordReachedBudgets(scope, unique(uses.map(({ organization }) => organization)), now);
  return ids;
}

export function rateIn(ids: RateIds, sku: string): Id<'billing_rates'> {
  const id = ids.get(sku);
  if (id === undefined) throw new Error(`${sku} has no rate`);
  return id;
}
