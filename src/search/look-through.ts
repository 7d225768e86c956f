import { setImmediate } from 'node:timers/promises';
import { TimeBudgetExceeded } from '#database/client.ts';
import type { Budget } from './result.ts';

/** After so many milliseconds, others have their turn. */
const turn = 20;

/** What matched, and how many items there was time to look at. */
export type LookedThrough<Item> = { matching: Item[]; looked: number };

/** Looks at items one after the other for as long as there is time. An item at which the time ends isn't looked at. */
export async function lookThrough<Item>(
  items: readonly Item[],
  budget: Pick<Budget, 'left'>,
  matches: (item: Item) => boolean | Promise<boolean>,
): Promise<LookedThrough<Item>> {
  const matching: Item[] = [];
  let looked = 0;
  const pause = turns();
  for (const item of items) {
    if (budget.left() === 0) break;
    try {
      if (await matches(item)) matching.push(item);
    } catch (error) {
      if (error instanceof TimeBudgetExceeded) break;
      throw error;
    }
    looked += 1;
    await pause();
  }
  return { matching, looked };
}

/** The texts of an item, for as long as there is time; `lookThrough` knows what it means when there is none. */
export const timely = (texts: readonly string[], budget: Pick<Budget, 'left'>): AsyncIterable<string> => ({
  async *[Symbol.asyncIterator]() {
    const pause = turns();
    for (const text of texts) {
      if (budget.left() === 0) throw new TimeBudgetExceeded();
      yield text;
      await pause();
    }
  },
});

/** Gives others their turn, when it is time for that. */
function turns(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < turn) return undefined;
    return setImmediate().then(() => {
      since = performance.now();
    });
  };
}
