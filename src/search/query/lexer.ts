import { takesList, type ValueType } from './values.ts';

export const operators = ['AND', 'OR', 'NOT'] as const;
type Operator = (typeof operators)[number];

export type Token =
  | { kind: 'word'; text: string; quoted: boolean }
  | { kind: 'qualifier'; negated: boolean; name: string; raw: string[]; type: ValueType }
  | { kind: 'operator'; operator: Operator }
  | { kind: 'open'; negated: boolean }
  | { kind: 'close' };

/** The qualifiers of a search, and whether it has parentheses. */
type Grammar = { find(name: string): ValueType | undefined; parentheses: boolean };

const blank = /[\p{Cc}\p{Z}\uFEFF]/gu;
const qualifierName = /(-?)([A-Za-z][A-Za-z0-9._-]*):/y;

/** Replaces control characters and all kinds of whitespace with spaces, and lone surrogates with U+FFFD. */
export const normaliseBlanks = (q: string): string => q.toWellFormed().replace(blank, ' ');

/** Splits a query into tokens. It accepts every input. */
export function tokenize(q: string, grammar: Grammar): Token[] {
  const text = normaliseBlanks(q);
  const tokens: Token[] = [];
  const ends = grammar.parentheses ? ' ()' : ' ';
  let at = 0;
  while (at < text.length) {
    const char = text.charAt(at);
    if (char === ' ') {
      at += 1;
    } else if (grammar.parentheses && (char === '(' || text.startsWith('-(', at))) {
      tokens.push({ kind: 'open', negated: char === '-' });
      at += char === '-' ? 2 : 1;
    } else if (grammar.parentheses && char === ')') {
      tokens.push({ kind: 'close' });
      at += 1;
    } else if (char === '"') {
      const quoted = readQuoted(text, at);
      if (quoted.text.trim() !== '') tokens.push({ kind: 'word', text: quoted.text, quoted: true });
      at = quoted.end;
    } else {
      const { token, end } = readQualifier(text, at, grammar, ends) ?? readWord(text, at, ends);
      tokens.push(token);
      at = end;
    }
  }
  return tokens;
}

/** Reads a quoted text with `\"` and `\\` inside. A missing closing quote is accepted. */
function readQuoted(text: string, start: number): { text: string; end: number } {
  let read = '';
  for (let at = start + 1; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '"') return { text: read, end: at + 1 };
    const next = text.charAt(at + 1);
    if (char === '\\' && (next === '"' || next === '\\')) at += 1;
    read += text.charAt(at);
  }
  return { text: read, end: text.length };
}

function readQualifier(text: string, start: number, grammar: Grammar, ends: string): { token: Token; end: number } | undefined {
  qualifierName.lastIndex = start;
  const [prefix, minus, word] = qualifierName.exec(text) ?? [];
  if (!prefix || !word) return undefined;
  const name = word.toLowerCase();
  const type = grammar.find(name);
  const from = start + prefix.length;
  const next = text.charAt(from);
  // `in: `, `repo:` at the end and `user::name` are words.
  if (!type || next === '' || next === ':' || ends.includes(next)) return undefined;
  const { raw, end } = takesList(type) ? readList(text, from, ends) : readPiece(text, from, ends);
  return { token: { kind: 'qualifier', negated: minus === '-', name, raw, type }, end };
}

function readList(text: string, start: number, ends: string): { raw: string[]; end: number } {
  const raw: string[] = [];
  for (let at = start; ; ) {
    const piece = readPiece(text, at, `${ends},`);
    raw.push(...piece.raw);
    if (text.charAt(piece.end) !== ',') return { raw, end: piece.end };
    at = piece.end + 1;
  }
}

function readPiece(text: string, start: number, ends: string): { raw: string[]; end: number } {
  if (text.charAt(start) !== '"') {
    const end = endOfPiece(text, start, ends);
    return { raw: [text.slice(start, end)], end };
  }
  const quoted = readQuoted(text, start);
  return { raw: [quoted.text], end: quoted.end };
}

function readWord(text: string, start: number, ends: string): { token: Token; end: number } {
  let end = start + 1;
  // A quote after a colon begins a phrase: `note:"two words"` is a word and a phrase.
  while (end < text.length && !ends.includes(text.charAt(end)) && !(text.charAt(end) === '"' && text.charAt(end - 1) === ':'))
    end++;
  const word = text.slice(start, end);
  const operator = operators.find((candidate) => candidate === word);
  return { token: operator ? { kind: 'operator', operator } : { kind: 'word', text: word, quoted: false }, end };
}

function endOfPiece(text: string, start: number, ends: string): number {
  let end = start;
  while (end < text.length && !ends.includes(text.charAt(end))) end++;
  return end;
}
