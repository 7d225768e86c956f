// The names of a job's steps, as they are shown before the job runs.
import { fixedValue, limitTable } from '#lib/limits.ts';
import { replaceExpressions } from './expression-texts.ts';
import { type Contexts, ExpressionProblem, evaluateExpression, type Json, textOf } from './expressions.ts';

type Step = { readonly [part: string]: Json };

type Mask = { hide(text: string, end: number): string };

const maxLength = fixedValue(limitTable.workflows.stepName);
const maxExpressions = fixedValue(limitTable.workflows.stepExpressions);

/**
 * The names of steps: their own, or what they run (the public API's form). Expressions are evaluated where the contexts have all that they name;
 * the rest is left as it is written.
 * @param mask hides secrets in what expressions give, and cuts it
 */
export function namesOfSteps(steps: readonly Step[], contexts: Contexts, mask: Mask): string[] {
  let left = maxExpressions;
  const known = { ...contexts };
  const valueOfExpression = (expression: string, written: string): string => {
    if (left === 0) return written;
    left--;
    try {
      return mask.hide(textOf(evaluateExpression(expression.trim(), known)), maxLength);
    } catch (error) {
      if (error instanceof ExpressionProblem) return written;
      throw error;
    }
  };
  return steps.map((step) => replaceExpressions(writtenName(step), valueOfExpression).slice(0, maxLength));
}

function writtenName({ name, uses, run }: Step): string {
  if (typeof name === 'string' && name !== '') return name.slice(0, maxLength);
  const [line = ''] = String(run ?? '')
    .slice(0, maxLength)
    .split('\n');
  return uses === undefined ? `Run ${line}` : `Run ${String(uses)}`.slice(0, maxLength);
}
