import { pairsOf, partsOf, type Span, unspacedOf } from './split.ts';

/** Raise this when texts are analysed otherwise: indexes made by another version are rebuilt. */
export const analyserVersion = 2;

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

const cacheSize = 200_000;
let cache = new Map<string, readonly string[]>();

/** What an identifier is found by: the whole and its parts. Single letters are no parts. */
export function lexemesOf(identifier: string): readonly string[] {
  const known = cache.get(identifier);
  if (known) return known;
  if (cache.size >= cacheSize) cache = new Map();
  const lexemes = analyseIdentifier(identifier);
  cache.set(identifier, lexemes);
  return lexemes;
}

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

/** Everything that a text is found by, and its words as they were written. Beyond the bounds, the rest of a text isn't searchable. */
export function analyse(text: string): { lexemes: Set<string>; words: string[] } {
  const identifiers = identifiersOf(text);
  const lexemes = new Set<string>();
  let bytes = 0;
  for (const identifier of new Set(identifiers)) {
    for (const lexeme of lexemesOf(identifier)) {
      if (lexemes.has(lexeme)) continue;
      lexemes.add(lexeme);
      bytes += lexeme.length * (allAscii.test(lexeme) ? 1 : 3);
    }
    if (lexemes.size >= maxLexemes || bytes >= maxBytes) break;
  }
  return { lexemes, words: identifiers };
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
