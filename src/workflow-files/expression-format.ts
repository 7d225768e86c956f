// The function `format` of expressions.
import type { ExpressionBudget } from './expression-budget.ts';
import { ExpressionProblem } from './expression-problem.ts';
import { valueText } from './expression-values.ts';
import type { Json } from './token.ts';

/**
 * A doubled brace is a literal brace, and a number in braces is an argument. Text between the number and the closing brace has no
 * meaning.
 */
const part = /\{\{|\}\}|\{(\d+)(?:[^\d}][^}]*)?\}|[{}]|[^{}]+/gy;

/** Replaces `{0}`, `{1}` … in a text with values. */
export function formatText([text = '', ...values]: readonly Json[], budget: ExpressionBudget): string {
  const written = valueText(text);
  budget.readCharacters(written.length);
  const parts: string[] = [];
  for (const [found, index] of written.matchAll(part)) {
    const one = index === undefined ? literalPart(found, written) : argument(values, Number(index), written);
    budget.spendSteps(1);
    budget.spendCharacters(one.length);
    parts.push(one);
  }
  return parts.join('');
}

function literalPart(found: string, text: string): string {
  if (found === '{' || found === '}') throw new ExpressionProblem(`The following format string is invalid: ${text}`);
  return found === '{{' || found === '}}' ? found.slice(1) : found;
}

function argument(values: readonly Json[], index: number, text: string): string {
  const value = values[index];
  if (value === undefined)
    throw new ExpressionProblem(`The following format string references more arguments than were supplied: ${text}`);
  return valueText(value);
}
