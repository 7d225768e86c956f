// Expressions of workflow files, `${{ … }}`, as far as the server evaluates them: conditions of jobs, matrices, names, groups.
import { data, Evaluator, ExpressionError, ExpressionEvaluationError, Lexer, Parser } from '@actions/expressions';
import type { FunctionDefinition } from '@actions/expressions/funcs/info';
import type { TemplateToken } from '@actions/workflow-parser/templates/tokens/template-token';
import {
  isBasicExpression,
  isBoolean,
  isMapping,
  isNumber,
  isSequence,
  isString,
} from '@actions/workflow-parser/templates/tokens/type-guards';

/** What JSON holds. Values of expressions and of workflow files are this. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** The values of contexts, by their names: `github`, `needs`, `matrix` … */
export type Contexts = { readonly [name: string]: Json };

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
 * @throws ExpressionProblem for an expression that fails
 */
export function evaluate(token: TemplateToken, contexts: Contexts, status: JobStatus = 'success'): Json {
  if (isString(token) || isNumber(token) || isBoolean(token)) return token.value;
  if (isSequence(token)) return [...token].map((item) => evaluate(item, contexts, status));
  if (isMapping(token))
    return Object.fromEntries(
      [...token].map(({ key, value }) => [textOf(evaluate(key, contexts, status)), evaluate(value, contexts, status)]),
    );
  if (isBasicExpression(token)) return evaluateText(token.expression, contexts, { status, line: token.line });
  return null;
}

/** Whether a condition holds, as `if:` of a job. */
export const holds = (token: TemplateToken, contexts: Contexts, status: JobStatus): boolean =>
  isTrue(evaluate(token, contexts, status));

/** What counts as true in expressions. */
const isTrue = (value: Json): boolean => value !== false && value !== 0 && value !== '' && value !== null;

/** A scalar as expressions write it into texts. */
export function textOf(value: Json): string {
  if (value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

type Where = { readonly status: JobStatus; readonly line: number | undefined };

function evaluateText(expression: string, contexts: Contexts, { status, line }: Where): Json {
  const functions = statusFunctions(status);
  try {
    const { tokens } = new Lexer(expression).lex();
    const parsed = new Parser(tokens, Object.keys(contexts), functions).parse();
    const byName = new Map(functions.map((definition) => [definition.name, definition]));
    return jsonOf(new Evaluator(parsed, dictionaryOf(contexts), byName).evaluate());
  } catch (error) {
    if (error instanceof ExpressionError || error instanceof ExpressionEvaluationError || error instanceof SyntaxError)
      throw new ExpressionProblem(error.message, line);
    throw error;
  }
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

const dictionaryOf = (contexts: Contexts): data.Dictionary => JSON.parse(JSON.stringify(contexts), data.reviver);

const jsonOf = (value: data.ExpressionData): Json => JSON.parse(JSON.stringify(value, data.replacer));
