import { TimeBudgetExceeded } from '#database/client.ts';
import type { Budget } from './result.ts';
import { inSlices, type Steps } from './slices.ts';

/** The matching items, and the number of items that were checked before the budget ended. */
export type FilterResult<Item> = { matching: Item[]; checked: number };

/** Filters items until the budget ends. An item whose check was interrupted isn't counted. */
export async function filterWithinBudget<Item>(
  items: readonly Item[],
  budget: Pick<Budget, 'left'>,
  matches: (item: Item) => Steps<boolean>,
): Promise<FilterResult<Item>> {
  const found = await mapWithinBudget(items, budget, matches);
  return { matching: items.filter((_, at) => found[at]), checked: found.length };
}

/** Maps items until the budget ends. The results of the remaining items are missing. */
export async function mapWithinBudget<Item, Result>(
  items: readonly Item[],
  budget: Pick<Budget, 'left'>,
  work: (item: Item) => Steps<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const slices = inSlices(budget);
  for (const item of items) {
    if (budget.left() === 0) break;
    try {
      results.push(await slices.run(work(item)));
    } catch (error) {
      if (error instanceof TimeBudgetExceeded) break;
      throw error;
    }
  }
  return results;
}
