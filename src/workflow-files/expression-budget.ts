// The cost limits of a plan's expressions. They run on the event loop, so all of their work is counted before it is done.

import { fixedValue } from '#lib/limits.ts';
import { ExpressionProblem } from './expression-problem.ts';
import { workflowFileLimits } from './limits.ts';
import type { Json } from './token.ts';

const { expressionSteps, expressionCharacters } = workflowFileLimits;

/** Reading this many characters costs one step. */
const charactersOfStep = 8;

/** The properties of an object by their names in lower case. */
export type Properties = ReadonlyMap<string, Json>;

/**
 * The remaining budget of all expressions that are evaluated together. Each function throws an ExpressionProblem if it isn't
 * enough.
 */
export type ExpressionBudget = {
  spendSteps(steps: number): void;
  /** Counts the characters of a text before it is read. */
  readCharacters(characters: number): void;
  /** Counts the characters of a value before it is created. */
  spendCharacters(characters: number): void;
  /** The objects whose properties were already read and counted. */
  readonly known: WeakMap<object, Properties>;
};

export function newBudget(): ExpressionBudget {
  let steps = fixedValue(expressionSteps);
  let characters = fixedValue(expressionCharacters);
  const spendSteps = (spent: number): void => {
    steps -= spent;
    if (steps < 0) throw spentProblem();
  };
  return {
    spendSteps,
    readCharacters(read) {
      spendSteps(Math.ceil(read / charactersOfStep));
    },
    spendCharacters(spent) {
      characters -= spent;
      if (characters < 0) throw spentProblem();
    },
    known: new WeakMap(),
  };
}

const spentProblem = () =>
  new ExpressionProblem('The expressions of the workflow take too many steps, or make values that are too large');
