import { TimeBudgetExceeded } from '#database/client.ts';
import { nextTurn } from '#lib/turns.ts';
import type { Budget } from './result.ts';

/** A computation in small steps. It can pause after each step. */
export type Steps<Result> = Generator<undefined, Result>;

/** Milliseconds after which a computation yields to the event loop. */
const sliceMs = 20;

/** Runs computations in slices until the budget ends, so that one request doesn't block the event loop. */
type Slices = {
  /** @throws TimeBudgetExceeded when the budget has ended */
  run<Result>(steps: Steps<Result>): Promise<Result>;
};

export function inSlices(budget: Pick<Budget, 'left'>): Slices {
  let sliceStart = performance.now();
  return {
    async run(steps) {
      for (;;) {
        const step = steps.next();
        const isOver = performance.now() - sliceStart >= sliceMs;
        if (isOver && budget.left() === 0 && !step.done) throw new TimeBudgetExceeded();
        if (isOver) {
          await nextTurn();
          sliceStart = performance.now();
        }
        if (step.done) return step.value;
      }
    },
  };
}
