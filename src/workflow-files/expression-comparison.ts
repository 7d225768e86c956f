// Comparisons in expressions. Texts are compared regardless of case, a text and a number as numbers, and lists and mappings by
// identity.
import type { ExpressionBudget } from './expression-budget.ts';
import { isPrimitive, upperCase, valueNumber } from './expression-values.ts';
import type { Json } from './token.ts';

export type Operator = '==' | '!=' | '<' | '<=' | '>' | '>=';

export function compare(operator: Operator, left: Json, right: Json, budget: ExpressionBudget): boolean {
  budget.spendSteps(1);
  const [a, b] = comparable(left, right, budget);
  // Lists and mappings are equal only to themselves, and have no order. NaN is equal to nothing.
  const ordered = typeof a === typeof b && isPrimitive(a) && isPrimitive(b) && a !== null && b !== null;
  switch (operator) {
    case '==':
      return a === b;
    case '!=':
      return a !== b;
    case '<':
      return ordered && a < b;
    case '<=':
      return a === b || (ordered && a < b);
    case '>':
      return ordered && a > b;
    case '>=':
      return a === b || (ordered && a > b);
  }
}

/** Two values, converted for comparison. */
function comparable(left: Json, right: Json, budget: ExpressionBudget): [Json, Json] {
  if (typeof left === 'string' && typeof right === 'string') return [upperCase(left, budget), upperCase(right, budget)];
  if (kindOf(left) === kindOf(right) || !mayBeNumbers(left, right)) return [left, right];
  for (const value of [left, right]) if (typeof value === 'string') budget.readCharacters(value.length);
  return [valueNumber(left), valueNumber(right)];
}

const kindOf = (value: Json): string => (value === null ? 'null' : typeof value);

const mayBeNumbers = (left: Json, right: Json): boolean => isPrimitive(left) && isPrimitive(right);
