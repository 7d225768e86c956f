import { pairsOf, partsOf, type Span, unspacedOf } from './split.ts';

/** Raise this when texts are analysed otherwise: indexes made by another version are rebuilt. */
export const analyserVersion = 3;

/** Longer identifiers are known by their beginning; encoded data isn't worth its parts. */
const maxLexeme = 128;
const maxWithParts = 64;

/** Bounds for one text: PostgreSQL keeps at most 1 MiB of lexemes in a tsvector. */
const maxLexemes = 20_000;
const maxBytes = 800_000;

const asciiRun = /\w+/g;
const run = /[\p{L}\p{N}\p{M}_]+/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is what ASCII means
const allAscii = /^[\x00-\x7f]*$/;

/** The identifiers of a text, as written and in their order. */
export const identifiersOf = (text: string): string[] => text.match(allAscii.test(text) ? asciiRun : run) ?? [];

/** How a word is kept and looked for: composed, in lower case, cut to a bounded length. */
export const fold = (word: string): string => {
  const lower = (allAscii.test(word) ? word : word.normalize('NFC')).toLowerCase();
  return lower.length > maxLexeme ? lower.slice(0, maxLexeme).toWellFormed() : lower;
};

/** The parts of an identifier that are found by themselves. */
export const searchableParts = (identifier: string): Span[] =>
  identifier.length > maxWithParts
    ? []
    : partsOf(identifier).filter(({ start, end }) => end - start > 1 && end - start < identifier.length);

function analyseIdentifier(identifier: string): string[] {
  const lexemes = [fold(identifier)];
  for (const term of unspacedTerms(identifier)) lexemes.push(...term.lexemes);
  for (const { start, end } of unspacedOf(identifier)) lexemes.push(...fold(identifier.slice(start, end)));
  for (const { start, end } of searchableParts(identifier)) lexemes.push(fold(identifier.slice(start, end)));
  return lexemes;
}

/** A lexeme, once in the process; `seen` is the text in which it was met last. */
type Lexeme = { readonly text: string; readonly bytes: number; seen: number };

/** What is known of an identifier: its lexemes, and a number that stands for it. */
export type Word = { readonly lexemes: readonly Lexeme[]; readonly hash: number; seen: number };

const cacheSize = 200_000;
let words = new Map<string, Word>();
let lexemes = new Map<string, Lexeme>();
let texts = 0;

/** A copy that doesn't keep the text alive out of which the word was cut. */
const copied = (word: string): string => Buffer.from(word, 'utf16le').toString('utf16le');

/** What is known of an identifier; analysed once, as long as it is met now and then. */
export function wordOf(identifier: string): Word {
  const known = words.get(identifier);
  if (known) return known;
  if (words.size >= cacheSize) {
    words = new Map();
    lexemes = new Map();
  }
  const own = copied(identifier);
  const word = { lexemes: analyseIdentifier(own).map(lexemeOf), hash: hashOf(fold(own)), seen: 0 };
  words.set(own, word);
  return word;
}

function lexemeOf(text: string): Lexeme {
  const known = lexemes.get(text);
  if (known) return known;
  const own = copied(text);
  const lexeme = { text: own, bytes: Buffer.byteLength(own), seen: 0 };
  lexemes.set(own, lexeme);
  return lexeme;
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}

/** What an identifier is found by: the whole and its parts. Single letters are no parts. */
export const lexemesOf = (identifier: string): string[] => wordOf(identifier).lexemes.map(({ text }) => text);

/** Everything that a text is found by, each once, and its words in their order. Beyond the bounds, a text isn't searchable. */
export function analyse(text: string): { lexemes: string[]; words: Word[] } {
  const round = ++texts;
  const found: string[] = [];
  let bytes = 0;
  const inOrder = identifiersOf(text).map(wordOf);
  for (const word of inOrder) {
    if (word.seen === round) continue;
    word.seen = round;
    for (const lexeme of word.lexemes) {
      if (lexeme.seen === round) continue;
      lexeme.seen = round;
      found.push(lexeme.text);
      bytes += lexeme.bytes;
    }
    if (found.length >= maxLexemes || bytes >= maxBytes) break;
  }
  return { lexemes: found, words: inOrder };
}

/** One word of a query: as it was written, and the lexemes that a text must have for it. */
export type Term = { written: string; lexemes: string[] };

/** The words of a query's text. A stretch without blanks is looked for by its pairs, so that it is found inside longer ones. */
export const termsOf = (text: string): Term[] => identifiersOf(text).flatMap(termsOfIdentifier);

function termsOfIdentifier(identifier: string): Term[] {
  const pieces = unspacedTerms(identifier);
  return pieces.length > 0 ? pieces : [{ written: identifier, lexemes: [fold(identifier)] }];
}

/** An identifier with stretches without blanks, cut into these and what is between; nothing for any other identifier. */
function unspacedTerms(identifier: string): Term[] {
  const stretches = unspacedOf(identifier);
  if (stretches.length === 0) return [];
  const terms: Term[] = [];
  let at = 0;
  for (const { start, end } of [...stretches, { start: identifier.length, end: identifier.length }]) {
    const between = identifier.slice(at, start).replace(/^_+|_+$/g, '');
    if (between !== '') terms.push({ written: between, lexemes: [fold(between)] });
    if (end > start) terms.push({ written: identifier.slice(start, end), lexemes: pairsOf(fold(identifier.slice(start, end))) });
    at = end;
  }
  return terms;
}
