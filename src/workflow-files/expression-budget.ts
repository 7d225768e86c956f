// What the expressions of one plan may cost. They run on the event loop, so everything that they do is counted before it is done.
import { fixedValue, limitTable } from '#lib/limits.ts';

const { expressionSteps, expressionCharacters } = limitTable.workflows;

/** The expressions of a file cost too much. */
export class BudgetSpent extends Error {
  constructor() {
    super('The expressions of the workflow take too many steps, or make values that are too large');
  }
}

/** What is left to all expressions that are evaluated together. */
export type ExpressionBudget = {
  /** @throws BudgetSpent */
  spendSteps(steps: number): void;
  /** Counts the characters of a value before it is made. @throws BudgetSpent */
  spendCharacters(characters: number): void;
};

export function newBudget(): ExpressionBudget {
  let steps = fixedValue(expressionSteps);
  let characters = fixedValue(expressionCharacters);
  return {
    spendSteps(spent) {
      steps -= spent;
      if (steps < 0) throw new BudgetSpent();
    },
    spendCharacters(spent) {
      characters -= spent;
      if (characters < 0) throw new BudgetSpent();
    },
  };
}
