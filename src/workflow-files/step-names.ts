// The names of a job's steps before the job runs.

import { fixedValue } from '#lib/limits.ts';
import { replaceExpressions } from './expression-texts.ts';
import { budget, type Contexts, ExpressionProblem, evaluateExpression, textOf } from './expressions.ts';
import { partOf, type Source } from './file.ts';
import { workflowFileLimits } from './limits.ts';

type Mask = { hide(text: string, end: number): string };

const maxLength = fixedValue(workflowFileLimits.stepName);
const maxExpressions = fixedValue(workflowFileLimits.stepExpressions);

/**
 * The names of steps: their own, or what they run (the public API's form). Expressions are evaluated if the contexts contain all
 * names that they use; otherwise they stay in source form.
 * @param around the parts whose `env` applies to all steps, innermost first: the job and its workflow
 * @param mask hides secrets in the results of expressions, and truncates them
 */
export function namesOfSteps(
  steps: readonly Source[],
  { contexts, around }: { contexts: Contexts; around: readonly Source[] },
  mask: Mask,
): string[] {
  let left = maxExpressions;
  const known = { ...contexts };
  const evaluated = (given: string, variables: readonly Source[]): string => {
    if (left === 0) throw new ExpressionProblem('There are too many expressions');
    left--;
    const expression = given.trim();
    const names = variablesIn(expression);
    if (!names || names.length === 0) return textOf(evaluateExpression(expression, known));
    const env = Object.fromEntries(names.map((name) => [name, valueOfVariable(name, variables)]));
    return textOf(evaluateExpression(expression, { ...known, env }));
  };
  /** The value of a variable when the job starts, evaluated with the variables of outer parts. */
  const valueOfVariable = (name: string, variables: readonly Source[]): string => {
    const at = variables.findIndex((part) => keyOf(part, name) !== undefined);
    const part = variables[at] ?? {};
    const written = part[keyOf(part, name) ?? ''];
    if (written === undefined || (typeof written === 'object' && written !== null))
      throw new ExpressionProblem(`The variable ${name} is not known yet`);
    return replaceExpressions(textOf(written), (expression) => {
      const value = evaluated(expression, variables.slice(at + 1));
      contexts[budget].spendCharacters(value.length);
      return value;
    });
  };
  const outer = around.map((part) => partOf(part, 'env'));
  return steps.map((step) => {
    const variables = [partOf(step, 'env'), ...outer];
    const named = replaceExpressions(writtenName(step), (expression, written) => {
      try {
        return mask.hide(evaluated(expression, variables), maxLength);
      } catch (error) {
        if (error instanceof ExpressionProblem) return written;
        throw error;
      }
    });
    return named.slice(0, maxLength);
  });
}

function writtenName({ name, uses, run }: Source): string {
  if (typeof name === 'string' && name !== '') return name.slice(0, maxLength);
  const [line = ''] = String(run ?? '')
    .slice(0, maxLength)
    .split('\n');
  return uses === undefined ? `Run ${line}` : `Run ${String(uses)}`.slice(0, maxLength);
}

/**
 * The variables that an expression uses, as `env.NAME` or `env['NAME']`; undefined if it uses the whole context, which earlier
 * steps can change.
 */
function variablesIn(expression: string): string[] | undefined {
  const found = [...expression.matchAll(/(?<![\w.'-])env\b(?!-)(?:\s*\.\s*([\w-]+)|\s*\[\s*'([^']*)'\s*\])?/gi)];
  const names = found.map(([, dotted, quoted]) => dotted ?? quoted);
  return names.every((name) => name !== undefined) ? names : undefined;
}

/** The spelling of a variable at its definition. Contexts ignore case. */
const keyOf = (part: Source, name: string): string | undefined =>
  Object.keys(part).find((key) => key.toLowerCase() === name.toLowerCase());
