// Expressions of workflow files, `${{ … }}`, that the server evaluates: conditions of jobs, matrices, names, groups.

import { type Expr, Lexer, Parser } from '@actions/expressions';
import { fixedValue } from '#lib/limits.ts';
import { Evaluator } from './evaluator.ts';
import type { ExpressionBudget } from './expression-budget.ts';
import { copyValue } from './expression-json.ts';
import { ExpressionProblem } from './expression-problem.ts';
import { isTrue } from './expression-values.ts';
import { workflowFileLimits } from './limits.ts';
import type { Json, Token } from './token.ts';

export { newBudget } from './expression-budget.ts';
export { ExpressionProblem } from './expression-problem.ts';
export type { Json } from './token.ts';

/** The key under which contexts hold the remaining budget of their expressions. */
export const budget = Symbol('budget');

/** The values of contexts, by their names: `github`, `needs`, `matrix` … */
export type Contexts = { readonly [name: string]: Json; readonly [budget]: ExpressionBudget };

/**
 * The combined result of the jobs that something depends on, for `success()`, `failure()` and `cancelled()`. After `skipped`, all
 * of these are false.
 */
export type JobStatus = 'success' | 'failure' | 'cancelled' | 'skipped';

/**
 * The value of a part of a workflow file, with its expressions evaluated.
 * @throws ExpressionProblem for an expression that fails, or exceeds the remaining budget of its contexts
 */
export function evaluate(token: Token, contexts: Contexts, status: JobStatus = 'success'): Json {
  // Each part is counted, since a matrix has many jobs that evaluate it.
  contexts[budget].spendSteps(1);
  switch (token.kind) {
    case 'scalar':
      return token.value;
    case 'sequence':
      return token.items.map((item) => evaluate(item, contexts, status));
    case 'mapping':
      return Object.fromEntries(
        token.entries.map(({ key, value }) => [textOf(evaluate(key, contexts, status)), evaluate(value, contexts, status)]),
      );
    case 'expression':
      return evaluateText(token.expression, contexts, { status, line: token.line });
  }
}

/** The value of an expression by its text, without `${{` and `}}`. @throws ExpressionProblem */
export const evaluateExpression = (expression: string, contexts: Contexts): Json =>
  evaluateText(expression, contexts, { status: 'success', line: undefined });

/** Whether a condition is true, for example a job's `if:`. */
export const holds = (token: Token, contexts: Contexts, status: JobStatus): boolean => isTrue(evaluate(token, contexts, status));

/** A scalar in its text form in expressions. */
export function textOf(value: Json): string {
  if (value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

type Location = { readonly status: JobStatus; readonly line: number | undefined };

const maxLength = fixedValue(workflowFileLimits.expressionLength);

/** The value of an expression. Any error in it, or in the values that it reads, is a problem of the expression. */
function evaluateText(expression: string, contexts: Contexts, { status, line }: Location): Json {
  if (expression.length > maxLength) throw new ExpressionProblem(`An expression has at most ${maxLength} characters`, line);
  const statuses = statusFunctions(status);
  const expressionBudget = contexts[budget];
  try {
    // Parsing it costs as much as reading its characters.
    expressionBudget.spendSteps(expression.length);
    const { tokens } = new Lexer(expression).lex();
    const functions = [...statuses.keys()].map((name) => ({ name, minArgs: 0, maxArgs: Number.MAX_SAFE_INTEGER }));
    const parsed: Expr | undefined = new Parser(tokens, Object.keys(contexts), functions).parse();
    if (!parsed) throw new ExpressionProblem('An expression must not be empty');
    const evaluator = new Evaluator({ contexts, statuses, budget: expressionBudget });
    return copyValue(evaluator.evaluate(parsed), expressionBudget);
  } catch (error) {
    // Parsers and evaluators are recursive for nested brackets.
    if (error instanceof RangeError) throw new ExpressionProblem('The expression is nested too deeply', line, { cause: error });
    throw new ExpressionProblem(error instanceof Error ? error.message : String(error), line, { cause: error });
  }
}

const statusFunctions = (status: JobStatus): ReadonlyMap<string, boolean> =>
  new Map([
    ['success', status === 'success'],
    ['failure', status === 'failure'],
    ['cancelled', status === 'cancelled'],
    ['always', true],
  ]);
