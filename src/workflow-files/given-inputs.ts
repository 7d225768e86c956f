// Inputs of called workflows in the files for runners. A runner knows one job, and not the calls that led to it, so the values of
// inputs are written into the file.

import { Lexer, type Token, TokenType } from '@actions/expressions/lexer';
import { fixedValue } from '#lib/limits.ts';
import { ExpressionProblem } from './expression-problem.ts';
import { replaceExpressions } from './expression-texts.ts';
import { type Json, textOf } from './expressions.ts';
import type { Source } from './file.ts';
import { workflowFileLimits } from './limits.ts';

type Inputs = { readonly [name: string]: Json };

const maxBytes = fixedValue(workflowFileLimits.taskBytes);

/**
 * Writes the values of `inputs` into the expressions of a job's parts. Conditions of steps are expressions as a whole.
 * @throws ExpressionProblem, from the returned function, if the values are too large for all parts together
 */
export function inputWriter(inputs: Inputs): (part: Json) => Json {
  const literals = literalsOf(inputs);
  let left = maxBytes;
  /** Counts a value in an expression before it is written. */
  const write = (value: string): string => {
    left -= Buffer.byteLength(value);
    if (left < 0) throw new ExpressionProblem(taskTooLarge);
    return value;
  };
  const inExpression = (text: string): string => replaceInputs(text, (name) => write(literals(name)));
  /** Each expression ends at the first `}}` outside a string. */
  const inText = (text: string): string => replaceExpressions(text, (inner) => `\${{${inExpression(inner)}}}`);
  const withInputs = (part: Json): Json => {
    if (typeof part === 'string') return inText(part);
    if (Array.isArray(part)) return part.map(withInputs);
    if (part === null || typeof part !== 'object') return part;
    return Object.fromEntries(
      Object.entries(part as Source).map(([name, value]) => {
        const isCondition = name === 'if' && typeof value === 'string' && !value.includes('${{');
        return [inText(name), isCondition ? inExpression(value) : withInputs(value)];
      }),
    );
  };
  return withInputs;
}

/** The problem of a job whose file is too large for a runner. */
export const taskTooLarge = `The job, with the values of the inputs that it names, has more than ${maxBytes / 1024 / 1024} MiB`;

/** An expression in which values replace `inputs.name`, and `inputs` as a whole. */
function replaceInputs(text: string, literalOfInput: (name: string | undefined) => string): string {
  let tokens: Token[];
  try {
    ({ tokens } = new Lexer(text).lex());
  } catch {
    return text; // it isn't a valid expression, which the runner reports
  }
  let written = '';
  let end = 0;
  for (let at = 0; at < tokens.length; at++) {
    const [before, token, dot, name] = [tokens[at - 1], tokens[at], tokens[at + 1], tokens[at + 2]];
    if (!token) break;
    // Only spaces are between tokens, so each token is the next occurrence of its text.
    const start = text.indexOf(token.lexeme, end);
    const isInputs = token.type === TokenType.IDENTIFIER && token.lexeme.toLowerCase() === 'inputs';
    if (!isInputs || before?.type === TokenType.DOT) {
      written += text.slice(end, start + token.lexeme.length);
      end = start + token.lexeme.length;
      continue;
    }
    const isNamed = dot?.type === TokenType.DOT && name?.type === TokenType.IDENTIFIER;
    written += text.slice(end, start) + literalOfInput(isNamed ? name.lexeme : undefined);
    end = start + token.lexeme.length;
    if (!isNamed) continue;
    end = text.indexOf(name.lexeme, text.indexOf('.', end)) + name.lexeme.length;
    at += 2;
  }
  return written + text.slice(end);
}

/**
 * The literals that replace an input, or all inputs, in expressions. Names are compared regardless of case. Undeclared inputs are
 * null.
 */
function literalsOf(inputs: Inputs): (name: string | undefined) => string {
  const values = new Map<string, Json>();
  for (const [name, value] of Object.entries(inputs)) if (!values.has(name.toLowerCase())) values.set(name.toLowerCase(), value);
  const known = new Map<string | undefined, string>();
  return (name) => {
    const key = name?.toLowerCase();
    const literal = known.get(key) ?? (key === undefined ? whole(inputs) : literalOf(values.get(key) ?? null));
    known.set(key, literal);
    return literal;
  };
}

const literalOf = (value: Json): string => (typeof value === 'string' ? quoted(value) : value === null ? 'null' : textOf(value));

const whole = (inputs: Inputs): string => `fromJSON(${quoted(JSON.stringify(inputs))})`;

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
