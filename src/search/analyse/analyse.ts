import { trimOf } from '#lib/trim.ts';
import { periodicYield } from '#lib/turns.ts';
import { pairsOf, partsOf, type Span, unspacedOf } from './split.ts';

/** Increase this whenever the analysis of texts changes. Indexes of other versions are rebuilt. */
export const analyserVersion = 3;

/**
 * Longer identifiers are truncated. Identifiers above `maxSplitLength` aren't split into parts, since they are usually encoded
 * data.
 */
const maxLexeme = 128;
const maxSplitLength = 64;

/** Limits on the lexemes of one text. PostgreSQL allows 1 MiB in a tsvector. */
const maxLexemes = 20_000;
const maxBytes = 800_000;

const asciiRun = /\w+/g;
const run = /[\p{L}\p{N}\p{M}_]+/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is what ASCII means
const allAscii = /^[\x00-\x7f]*$/;

/** The identifiers of a text, as written and in order. */
export const identifiersOf = (text: string): string[] => text.match(allAscii.test(text) ? asciiRun : run) ?? [];

/** The normal form of a word: NFC, lower case, and truncated to a maximum length. */
export const fold = (word: string): string => {
  const lower = (allAscii.test(word) ? word : word.normalize('NFC')).toLowerCase();
  return lower.length > maxLexeme ? lower.slice(0, maxLexeme).toWellFormed() : lower;
};

/** The parts of an identifier that are lexemes themselves. */
export const searchableParts = (identifier: string): Span[] =>
  identifier.length > maxSplitLength
    ? []
    : partsOf(identifier).filter(({ start, end }) => end - start > 1 && end - start < identifier.length);

function analyseIdentifier(identifier: string): string[] {
  const lexemes = [fold(identifier)];
  for (const term of unspacedTerms(identifier)) lexemes.push(...term.lexemes);
  for (const { start, end } of unspacedOf(identifier)) lexemes.push(...fold(identifier.slice(start, end)));
  for (const { start, end } of searchableParts(identifier)) lexemes.push(fold(identifier.slice(start, end)));
  return lexemes;
}

/** A lexeme, shared in the process. `seen` is the number of the last text that contained it. */
type Lexeme = { readonly text: string; readonly bytes: number; seen: number };

/** An analysed identifier: its lexemes, and a hash. */
export type Word = { readonly lexemes: readonly Lexeme[]; readonly hash: number; seen: number };

const cacheSize = 200_000;
/** Milliseconds after which the cache is cleared. A full cache takes 70 MB, and fills again quickly during heavy indexing. */
const cacheTime = 300_000;
let words = new Map<string, Word>();
let lexemes = new Map<string, Lexeme>();
let textCount = 0;
let emptying: NodeJS.Timeout | undefined;

/** A copy of a substring that doesn't keep the whole text in memory. */
const copyOf = (word: string): string => Buffer.from(word, 'utf16le').toString('utf16le');

/** Analyses an identifier, with a cache. */
export function wordOf(identifier: string): Word {
  const known = words.get(identifier);
  if (known) return known;
  if (words.size >= cacheSize) emptyCache();
  emptying ??= setTimeout(emptyCache, cacheTime).unref();
  const copy = copyOf(identifier);
  const word = { lexemes: analyseIdentifier(copy).map(lexemeOf), hash: hashOf(fold(copy)), seen: 0 };
  words.set(copy, word);
  return word;
}

/**
 * Analyses the identifiers of a text in turns, so that `analyse` finds them in the cache: a file may have tens of thousands of
 * different ones.
 */
export async function analyseAhead(text: string): Promise<void> {
  const yieldNow = periodicYield();
  for (const identifier of identifiersOf(text)) {
    wordOf(identifier);
    await yieldNow();
  }
}

function emptyCache(): void {
  clearTimeout(emptying);
  emptying = undefined;
  words = new Map();
  lexemes = new Map();
}

function lexemeOf(text: string): Lexeme {
  const known = lexemes.get(text);
  if (known) return known;
  const copy = copyOf(text);
  const lexeme = { text: copy, bytes: Buffer.byteLength(copy), seen: 0 };
  lexemes.set(copy, lexeme);
  return lexeme;
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}

/** The lexemes of an identifier: the whole identifier and its parts of more than one letter. */
export const lexemesOf = (identifier: string): string[] => wordOf(identifier).lexemes.map(({ text }) => text);

/** The distinct lexemes of a text, and its words in order. Text beyond the limits isn't indexed. */
export function analyse(text: string): { lexemes: string[]; words: Word[] } {
  const textNumber = ++textCount;
  const found: string[] = [];
  let bytes = 0;
  const inOrder = identifiersOf(text).map(wordOf);
  for (const word of inOrder) {
    if (word.seen === textNumber) continue;
    word.seen = textNumber;
    for (const lexeme of word.lexemes) {
      if (lexeme.seen === textNumber) continue;
      lexeme.seen = textNumber;
      found.push(lexeme.text);
      bytes += lexeme.bytes;
    }
    if (found.length >= maxLexemes || bytes >= maxBytes) break;
  }
  return { lexemes: found, words: inOrder };
}

/** One word of a query: its spelling, and the lexemes that a matching text must have. */
export type Term = { written: string; lexemes: string[] };

/**
 * The terms of a query's text. Text in a script without spaces is searched by pairs of characters, so that it is found inside
 * longer text.
 */
export const termsOf = (text: string): Term[] => identifiersOf(text).flatMap(termsOfIdentifier);

function termsOfIdentifier(identifier: string): Term[] {
  const pieces = unspacedTerms(identifier);
  return pieces.length > 0 ? pieces : [{ written: identifier, lexemes: [fold(identifier)] }];
}

/**
 * Splits an identifier with parts in scripts without spaces into these parts and the text between them; empty for other
 * identifiers.
 */
function unspacedTerms(identifier: string): Term[] {
  const unspacedSpans = unspacedOf(identifier);
  if (unspacedSpans.length === 0) return [];
  const terms: Term[] = [];
  let at = 0;
  for (const { start, end } of [...unspacedSpans, { start: identifier.length, end: identifier.length }]) {
    const between = trimOf(identifier.slice(at, start), '_');
    if (between !== '') terms.push({ written: between, lexemes: [fold(between)] });
    if (end > start) terms.push({ written: identifier.slice(start, end), lexemes: pairsOf(fold(identifier.slice(start, end))) });
    at = end;
  }
  return terms;
}
