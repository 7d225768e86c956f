// JSON in expressions. Each part is counted before it is read or written.

import { fixedValue } from '#lib/limits.ts';
import type { ExpressionBudget } from './expression-budget.ts';
import { ExpressionProblem } from './expression-problem.ts';
import { isList } from './expression-values.ts';
import { workflowFileLimits } from './limits.ts';
import type { Json } from './token.ts';

const maxDepth = fixedValue(workflowFileLimits.expressionDepth);
/** The steps that a value of a JSON text costs, for its object or its entry in one. */
const stepsOfValue = 4;

/** The value of a JSON text. @throws ExpressionProblem */
export function readJson(text: string, budget: ExpressionBudget): Json {
  budget.readCharacters(text.length);
  budget.spendCharacters(text.length);
  if (text.trim() === '') throw new ExpressionProblem('fromJSON was given an empty text');
  countValues(text, budget);
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new ExpressionProblem('fromJSON was given a text that is not JSON');
  }
}

const [quote, backslash] = ['"', '\\'];

/** Counts the values between brackets and commas, before any of them is created. */
function countValues(text: string, budget: ExpressionBudget): void {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === quote) at = endOfString(text, at);
    else if (character === ',' || character === '[' || character === '{') budget.spendSteps(stepsOfValue);
    if (character === '[' || character === '{') depth++;
    else if (character === ']' || character === '}') depth--;
    if (depth > maxDepth) throw new ExpressionProblem(`fromJSON reads at most ${maxDepth} lists and objects inside each other`);
  }
}

/** The offset of the quote that ends a string, or the end of the text. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== quote) at += text[at] === backslash ? 2 : 1;
  return at;
}

/** A value as a JSON text, with an indent of two spaces. */
export function writeJson(value: Json, budget: ExpressionBudget): string {
  const parts: string[] = [];
  const write = (text: string): void => {
    budget.spendCharacters(text.length);
    parts.push(text);
  };
  const writeValue = (one: Json, indent: string): void => {
    budget.spendSteps(1);
    if (one === null || typeof one !== 'object') {
      write(scalarJson(one, budget));
      return;
    }
    const [open, close] = isList(one) ? ['[', ']'] : ['{', '}'];
    const inner = `${indent}  `;
    let separator = '';
    write(open);
    for (const [name, item] of isList(one) ? one.entries() : uniqueEntries(one, budget)) {
      write(`${separator}\n${inner}`);
      if (typeof name === 'string') write(`${scalarJson(name, budget)}: `);
      writeValue(item, inner);
      separator = ',';
    }
    write(separator === '' ? close : `\n${indent}${close}`);
  };
  writeValue(value, '');
  return parts.join('');
}

function scalarJson(value: string | number | boolean | null, budget: ExpressionBudget): string {
  if (typeof value === 'string') budget.readCharacters(value.length);
  return JSON.stringify(value);
}

/** The entries of a mapping. If two names differ only in case, the first counts. */
function uniqueEntries(mapping: { readonly [name: string]: Json }, budget: ExpressionBudget): [string, Json][] {
  const names = new Set<string>();
  return Object.entries(mapping).filter(([name]) => {
    budget.spendSteps(1);
    const key = name.toLowerCase();
    return !names.has(key) && names.add(key);
  });
}

/**
 * A copy of a value in a form that JSON preserves, for the caller that evaluates the expression.
 * @throws ExpressionProblem also for a text with a NUL character, which PostgreSQL doesn't store
 */
export function copyValue(value: Json, budget: ExpressionBudget): Json {
  budget.spendSteps(1);
  if (typeof value === 'string') return counted(value, budget);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (value === null || typeof value !== 'object') return value;
  if (isList(value)) return value.map((item) => copyValue(item, budget));
  return Object.fromEntries(uniqueEntries(value, budget).map(([name, item]) => [counted(name, budget), copyValue(item, budget)]));
}

function counted(text: string, budget: ExpressionBudget): string {
  budget.spendCharacters(text.length);
  if (text.includes('\0')) throw new ExpressionProblem('The value of an expression must not hold a NUL character');
  return text;
}
