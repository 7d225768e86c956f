// Inputs of called workflows in the files that runners get. A runner knows one job, and no call that led to it: its inputs are written out.
import { Lexer, type Token, TokenType } from '@actions/expressions/lexer';
import { type Json, textOf } from './expressions.ts';
import type { Source } from './file.ts';

type Inputs = { readonly [name: string]: Json };

/** A part of a job with the values of `inputs` in its expressions. Conditions of steps are expressions as a whole. */
export function withInputs(part: Json, inputs: Inputs): Json {
  if (typeof part === 'string') return inText(part, inputs);
  if (Array.isArray(part)) return part.map((item: Json) => withInputs(item, inputs));
  if (part === null || typeof part !== 'object') return part;
  return Object.fromEntries(
    Object.entries(part as Source).map(([name, value]) => {
      const isCondition = name === 'if' && typeof value === 'string' && !value.includes('${{');
      return [inText(name, inputs), isCondition ? inExpression(value, inputs) : withInputs(value, inputs)];
    }),
  );
}

/** A text with the expressions that it holds: each ends at the first `}}` outside a string. */
const inText = (text: string, inputs: Inputs): string =>
  text.replaceAll(/\$\{\{((?:'(?:[^']|'')*'|(?!\}\})[^'])*)\}\}/g, (_, inner: string) => `\${{${inExpression(inner, inputs)}}}`);

function inExpression(text: string, inputs: Inputs): string {
  let tokens: Token[];
  try {
    ({ tokens } = new Lexer(text).lex());
  } catch {
    return text; // it is no expression, which the runner says
  }
  let written = '';
  let end = 0;
  for (let at = 0; at < tokens.length; at++) {
    const [before, token, dot, name] = [tokens[at - 1], tokens[at], tokens[at + 1], tokens[at + 2]];
    if (!token) break;
    // Between tokens are spaces alone, so each is found as the next place of its text.
    const start = text.indexOf(token.lexeme, end);
    const isInputs = token.type === TokenType.IDENTIFIER && token.lexeme.toLowerCase() === 'inputs';
    if (!isInputs || before?.type === TokenType.DOT) {
      written += text.slice(end, start + token.lexeme.length);
      end = start + token.lexeme.length;
      continue;
    }
    const isNamed = dot?.type === TokenType.DOT && name?.type === TokenType.IDENTIFIER;
    written += text.slice(end, start) + (isNamed ? literal(valueNamed(inputs, name.lexeme)) : whole(inputs));
    end = start + token.lexeme.length;
    if (!isNamed) continue;
    end = text.indexOf(name.lexeme, text.indexOf('.', end)) + name.lexeme.length;
    at += 2;
  }
  return written + text.slice(end);
}

/** Inputs are named in any case. One that isn't declared is null. */
const valueNamed = (inputs: Inputs, name: string): Json =>
  Object.entries(inputs).find(([one]) => one.toLowerCase() === name.toLowerCase())?.[1] ?? null;

/** A value as expressions write it. */
const literal = (value: Json): string => (typeof value === 'string' ? quoted(value) : value === null ? 'null' : textOf(value));

const whole = (inputs: Inputs): string => `fromJSON(${quoted(JSON.stringify(inputs))})`;

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
