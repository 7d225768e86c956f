// The names of a job's steps, as they are shown before the job runs.
import { fixedValue, limitTable } from '#lib/limits.ts';
import { BudgetSpent } from './expression-budget.ts';
import { budget, type Contexts, ExpressionProblem, evaluateExpression, textOf } from './expressions.ts';
import { partOf, type Source } from './file.ts';

type Mask = { hide(text: string, end: number): string };

const maxLength = fixedValue(limitTable.workflows.stepName);
const maxExpressions = fixedValue(limitTable.workflows.stepExpressions);

/**
 * The names of steps: their own, or what they run (the public API's form). Expressions are evaluated where the contexts have all that they name;
 * the rest is left as it is written.
 * @param around the parts whose `env` holds for all steps, the nearest first: the job and its workflow
 * @param mask hides secrets in what expressions give, and cuts it
 */
export function namesOfSteps(
  steps: readonly Source[],
  { contexts, around }: { contexts: Contexts; around: readonly Source[] },
  mask: Mask,
): string[] {
  let left = maxExpressions;
  const known = { ...contexts };
  const evaluated = (expression: string, variables: readonly Source[]): string => {
    if (left === 0) throw new ExpressionProblem('There are too many expressions', undefined);
    left--;
    const names = variablesIn(expression);
    if (!names || names.length === 0) return textOf(evaluateExpression(expression, known));
    const env = Object.fromEntries(names.map((name) => [name, valueOfVariable(name, variables)]));
    return textOf(evaluateExpression(expression, { ...known, env }));
  };
  /** The value that a variable has when the job begins, evaluated with those of the parts farther around. */
  const valueOfVariable = (name: string, variables: readonly Source[]): string => {
    const at = variables.findIndex((part) => keyOf(part, name) !== undefined);
    const part = variables[at] ?? {};
    const written = part[keyOf(part, name) ?? ''];
    if (written === undefined || (typeof written === 'object' && written !== null))
      throw new ExpressionProblem(`The variable ${name} is not known yet`, undefined);
    return replaceExpressions(textOf(written), (expression) => {
      const value = evaluated(expression, variables.slice(at + 1));
      spend(contexts, value.length);
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
 * The variables that an expression names, as `env.NAME` or `env['NAME']`; undefined where it names the whole context, of which earlier steps
 * set parts.
 */
function variablesIn(expression: string): string[] | undefined {
  const found = [...expression.matchAll(/(?<![\w.'-])env\b(?!-)(?:\s*\.\s*([\w-]+)|\s*\[\s*'([^']*)'\s*\])?/gi)];
  const names = found.map(([, dotted, quoted]) => dotted ?? quoted);
  return names.every((name) => name !== undefined) ? names : undefined;
}

/** How a variable is written where it is set. Contexts don't tell apart upper and lower case. */
const keyOf = (part: Source, name: string): string | undefined =>
  Object.keys(part).find((key) => key.toLowerCase() === name.toLowerCase());

/** Counts the characters of a value. @throws ExpressionProblem where none are left */
function spend(contexts: Contexts, characters: number): void {
  try {
    contexts[budget].spendCharacters(characters);
  } catch (error) {
    throw error instanceof BudgetSpent ? new ExpressionProblem(error.message, undefined) : error;
  }
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
