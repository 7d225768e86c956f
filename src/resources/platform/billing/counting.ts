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
  /** In the units of the SKU. */
  readonly quantity: number;
  readonly at: Date;
};

/** Counts usage at the current prices, and records the budgets that reach a threshold by it. Repeated calls count it again. */
export async function countUses(scope: WriteScope, prices: Prices, uses: readonly Use[], now: Date): Promise<void> {
  if (uses.length === 0) return;
  const rates = new Map(unique(uses.map(({ sku }) => sku)).map((sku) => [sku, rateOf(prices, sku)]));
  const ids = await putRates(scope.tx, [...rates.values()]);
  const additions = uses.flatMap(({ organization, repository, user, sku, quantity, at }) => {
    const [rate, rate_id] = [rates.get(sku), ids.get(sku)];
    if (rate === undefined || rate_id === undefined) return [];
    return {
      organization_id: organization,
      day: dayOf(at),
      rate_id,
      repository_id: repository?.id ?? null,
      repository_name: repository?.name ?? null,
      user_id: user ?? null,
      quantity: Math.round(quantity * rate.unit_size),
    };
  });
  await addUsage(scope.tx, additions);
  await recordReachedBudgets(scope, unique(uses.map(({ organization }) => organization)), now);
}
