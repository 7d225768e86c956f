import { setImmediate } from 'node:timers/promises';
import { TimeBudgetExceeded } from '#database/client.ts';
import type { Budget } from './result.ts';

/** Work in steps so small that it can pause after each. */
export type Steps<Result> = Generator<undefined, Result>;

/** After so many milliseconds, others have their turn on the event loop. */
const slice = 20;

/** Does work in slices for as long as the budget lasts: what one caller computes doesn't hold up everybody else. */
export type Slices = {
  /** Throws TimeBudgetExceeded when the time is over. */
  run<Result>(steps: Steps<Result>): Promise<Result>;
};

export function inSlices(budget: Pick<Budget, 'left'>): Slices {
  let since = performance.now();
  return {
    async run(steps) {
      for (;;) {
        const step = steps.next();
        const isOver = performance.now() - since >= slice;
        if (isOver && budget.left() === 0 && !step.done) throw new TimeBudgetExceeded();
        if (isOver) {
          await setImmediate();
          since = performance.now();
        }
        if (step.done) return step.value;
      }
    },
  };
}
