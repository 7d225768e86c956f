import { TimeBudgetExceeded } from '#database/client.ts';
import type { Budget } from './result.ts';
import { inSlices, type Steps } from './slices.ts';

/** What matched, and how many items there was time to look at. */
export type LookedThrough<Item> = { matching: Item[]; looked: number };

/** Looks at items one after the other for as long as there is time. An item at which the time ends isn't looked at. */
export async function lookThrough<Item>(
  items: readonly Item[],
  budget: Pick<Budget, 'left'>,
  matches: (item: Item) => Steps<boolean>,
): Promise<LookedThrough<Item>> {
  const found = await turnEach(items, budget, matches);
  return { matching: items.filter((_, at) => found[at]), looked: found.length };
}

/** Works on items one after the other for as long as there is time. Where that ends, the results of the last items are missing. */
export async function turnEach<Item, Result>(
  items: readonly Item[],
  budget: Pick<Budget, 'left'>,
  turn: (item: Item) => Steps<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const slices = inSlices(budget);
  for (const item of items) {
    if (budget.left() === 0) break;
    try {
      results.push(await slices.run(turn(item)));
    } catch (error) {
      if (error instanceof TimeBudgetExceeded) break;
      throw error;
    }
  }
  return results;
}
