// The names of a job's steps, as they are shown before the job runs.
import { fixedValue, limitTable } from '#lib/limits.ts';
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
      return mask.hide(textOf(evaluateExpression(expression, known)), maxLength);
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

/** Replaces each `${{ … }}` of a text. One without an end stays as it is. */
function replaceExpressions(text: string, valueOfExpression: (expression: string, written: string) => string): string {
  let replaced = '';
  let at = 0;
  for (;;) {
    const start = text.indexOf('${{', at);
    const end = start < 0 ? -1 : endOfExpression(text, start + 3);
    if (end < 0) return replaced + text.slice(at);
    replaced += text.slice(at, start) + valueOfExpression(text.slice(start + 3, end).trim(), text.slice(start, end + 2));
    at = end + 2;
  }
}

/** Where the `}}` of an expression is that isn't in a string; -1 where there is none. */
function endOfExpression(text: string, from: number): number {
  let isInString = false;
  for (let at = from; at < text.length; at++) {
    if (text[at] === "'") isInString = !isInString;
    else if (!isInString && text.startsWith('}}', at)) return at;
  }
  return -1;
}
