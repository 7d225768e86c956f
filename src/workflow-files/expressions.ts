// Expressions of workflow files, `${{ … }}`, as far as the server evaluates them: conditions of jobs, matrices, names, groups.
import { data, ExpressionError, ExpressionEvaluationError, Lexer, Parser } from '@actions/expressions';
import type { FunctionDefinition } from '@actions/expressions/funcs/info';
import { fixedValue, limitTable } from '#lib/limits.ts';
import { BoundedEvaluator } from './bounded-evaluator.ts';
import { BudgetSpent, type ExpressionBudget } from './expression-budget.ts';
import { fromData, toData } from './expression-values.ts';
import { hasNul, type Json, type Token } from './token.ts';

export { newBudget } from './expression-budget.ts';
export type { Json } from './token.ts';

/** Where contexts keep what is left to the expressions that name them. */
export const budget = Symbol('budget');

/** The values of contexts, by their names: `github`, `needs`, `matrix` … */
export type Contexts = { readonly [name: string]: Json; readonly [budget]: ExpressionBudget };

/** How the jobs that something depends on have ended, for `success()`, `failure()` and `cancelled()`. None of these holds after `skipped`. */
export type JobStatus = 'success' | 'failure' | 'cancelled' | 'skipped';

/** An expression that can't be evaluated, with where it stands. */
export class ExpressionProblem extends Error {
  readonly line: number | undefined;

  constructor(message: string, line: number | undefined) {
    super(message);
    this.line = line;
  }
}

/**
 * The value of a part of a workflow file, its expressions evaluated.
 * @throws ExpressionProblem for an expression that fails, or that costs more than is left in the budget of its contexts
 */
export function evaluate(token: Token, contexts: Contexts, status: JobStatus = 'success'): Json {
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

/** Whether a condition holds, as `if:` of a job. */
export const holds = (token: Token, contexts: Contexts, status: JobStatus): boolean => isTrue(evaluate(token, contexts, status));

/** What counts as true in expressions. */
const isTrue = (value: Json): boolean => value !== false && value !== 0 && value !== '' && value !== null;

/** A scalar as expressions write it into texts. */
export function textOf(value: Json): string {
  if (value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

type Location = { readonly status: JobStatus; readonly line: number | undefined };

const maxLength = fixedValue(limitTable.workflows.expressionLength);

function evaluateText(expression: string, contexts: Contexts, { status, line }: Location): Json {
  if (expression.length > maxLength) throw new ExpressionProblem(`An expression has at most ${maxLength} characters`, line);
  const functions = statusFunctions(status);
  const { spendSteps, spendCharacters } = contexts[budget];
  try {
    // Reading it costs as much as its characters.
    spendSteps(expression.length);
    const { tokens } = new Lexer(expression).lex();
    const parsed = new Parser(tokens, Object.keys(contexts), functions).parse();
    const named = namedContexts(contexts, expression);
    const value = fromData(new BoundedEvaluator(parsed, { contexts: named, functions, budget: contexts[budget] }).evaluate());
    if (typeof value === 'object') spendCharacters(JSON.stringify(value).length);
    if (hasNul(value)) throw new ExpressionProblem('The value of an expression must not hold a NUL character', line);
    return value;
  } catch (error) {
    // A parser calls itself for each bracket.
    if (error instanceof RangeError) throw new ExpressionProblem('The expression is nested too deeply', line);
    if (
      error instanceof ExpressionError ||
      error instanceof ExpressionEvaluationError ||
      error instanceof SyntaxError ||
      error instanceof BudgetSpent
    )
      throw new ExpressionProblem(error.message, line);
    throw error;
  }
}

/** The contexts that an expression may name: others, as the large `github`, aren't converted for it. */
function namedContexts(contexts: Contexts, expression: string): data.Dictionary {
  const written = expression.toLowerCase();
  const named = new data.Dictionary();
  for (const [name, value] of Object.entries(contexts)) named.add(name, written.includes(name) ? toData(value) : new data.Null());
  return named;
}

const statusFunctions = (status: JobStatus): FunctionDefinition[] => [
  statusFunction('success', status === 'success'),
  statusFunction('failure', status === 'failure'),
  statusFunction('cancelled', status === 'cancelled'),
  statusFunction('always', true),
];

const statusFunction = (name: string, value: boolean): FunctionDefinition => ({
  name,
  minArgs: 0,
  maxArgs: Number.MAX_SAFE_INTEGER,
  call: () => new data.BooleanData(value),
});
