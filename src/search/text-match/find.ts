import { fold, searchableParts, type Term } from '#search/analyse/analyse.ts';
import { type Span, unspacedOf } from '#search/analyse/split.ts';
import type { Steps } from '#search/slices.ts';
import { wordPattern } from './pattern.ts';
import { phraseFinder } from './phrase.ts';

/** Words of a query: a phrase, or separate words. */
export type WordGroup = { terms: readonly Term[]; phrase: boolean };

/**
 * The matches in a text, in order and without overlaps: whole phrases, and words if the analyser finds an identifier or a part of
 * one. At most `maxMatches`. The time is linear in the length of the text.
 */
export function* findMatches(text: string, wanted: readonly WordGroup[], maxMatches: number): Steps<Span[]> {
  const words = wanted.filter(({ phrase }) => !phrase).flatMap(({ terms }) => terms);
  const found: Span[] = [];
  for (const { terms, phrase } of wanted) if (phrase) found.push(...(yield* phraseFinder(terms).spansIn(text, maxMatches)));
  found.push(...(yield* findWords(text, words, maxMatches)));
  const spans: Span[] = [];
  for (const span of found.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (span.start >= (spans.at(-1)?.end ?? 0)) spans.push(span);
  }
  return spans.slice(0, maxMatches);
}

function spansOf(text: string, pattern: RegExp, maxMatches: number): Span[] {
  const spans: Span[] = [];
  for (const { index, 0: hit } of text.matchAll(pattern)) {
    if (hit.length > 0) spans.push({ start: index, end: index + hit.length });
    if (spans.length >= maxMatches) break;
  }
  return spans;
}

/** More words than this are searched in one pass over the text, instead of one pass for each. */
const maxSeparatePasses = 3;

function* findWords(text: string, terms: readonly Term[], maxMatches: number): Steps<Span[]> {
  const [unbounded, bounded] = [terms.filter(isUnspaced), terms.filter((term) => !isUnspaced(term))];
  const groups = bounded.length > maxSeparatePasses ? [bounded] : bounded.map((term) => [term]);
  const spans: Span[] = [];
  for (const term of unbounded) {
    spans.push(...spansOf(text, wordPattern(term), maxMatches));
    yield;
  }
  for (const group of groups) spans.push(...(yield* findInIdentifiers(text, group, maxMatches)));
  return spans;
}

const isUnspaced = ({ written }: Term): boolean => unspacedOf(written).length > 0;

const identifiersPerBatch = 200;

function* findInIdentifiers(text: string, terms: readonly Term[], maxMatches: number): Steps<Span[]> {
  const wanted = new Set(terms.map(({ written }) => fold(written)));
  const spans: Span[] = [];
  const known = new Map<string, Span[]>();
  let count = 0;
  for (const { start, end } of candidateIdentifiers(text, terms)) {
    const identifier = text.slice(start, end);
    const inside = known.get(identifier) ?? (yield* spansInIdentifier(identifier, wanted));
    known.set(identifier, inside);
    if (count++ % identifiersPerBatch === 0) yield;
    for (const span of inside) spans.push({ start: start + span.start, end: start + span.end });
    if (spans.length >= maxMatches) break;
  }
  return spans;
}

/** The matches in an identifier: the whole identifier, its parts, or the text between parts in scripts without spaces. */
function* spansInIdentifier(identifier: string, wanted: ReadonlySet<string>): Steps<Span[]> {
  if (wanted.has(fold(identifier))) return [{ start: 0, end: identifier.length }];
  const spans: Span[] = [];
  for (const [at, span] of [...searchableParts(identifier), ...spansBetweenUnspaced(identifier)].entries()) {
    if (wanted.has(fold(identifier.slice(span.start, span.end)))) spans.push(span);
    if (at % identifiersPerBatch === identifiersPerBatch - 1) yield;
  }
  return spans;
}

function spansBetweenUnspaced(identifier: string): Span[] {
  const unspaced = unspacedOf(identifier);
  if (unspaced.length === 0) return [];
  const starts = [0, ...unspaced.map(({ end }) => end)];
  const ends = [...unspaced.map(({ start }) => start), identifier.length];
  return starts.map((start, at) => withoutUnderscores(identifier, { start, end: ends[at] ?? start }));
}

function withoutUnderscores(text: string, { start, end }: Span): Span {
  let [from, to] = [start, end];
  while (from < to && text.charAt(from) === '_') from++;
  while (to > from && text.charAt(to - 1) === '_') to--;
  return { start: from, end: to };
}

const ascii = /^\w+$/;
const wordCharacter = /[\p{L}\p{N}\p{M}_]/u;
const restOfWord = /[\p{L}\p{N}\p{M}_]*/uy;

/**
 * The distinct positions of identifiers that may contain one of the words. For several words, and for non-ASCII letters, which
 * have several spellings with the same normal form, these are all identifiers.
 */
function* candidateIdentifiers(text: string, terms: readonly Term[]): Generator<Span> {
  const [term] = terms;
  const pattern = term && terms.length === 1 && ascii.test(term.written) ? wordPattern(term) : /[\p{L}\p{N}\p{M}_]+/gu;
  for (let floor = 0; ; ) {
    pattern.lastIndex = floor;
    const hit = pattern.exec(text);
    if (!hit) return;
    let start = hit.index;
    while (start > floor && wordCharacter.test(characterBefore(text, start))) start -= characterBefore(text, start).length;
    restOfWord.lastIndex = hit.index;
    restOfWord.test(text);
    floor = Math.max(restOfWord.lastIndex, hit.index + 1);
    yield { start, end: floor };
  }
}

function characterBefore(text: string, at: number): string {
  const code = text.charCodeAt(at - 1);
  const isLow = code >= 0xdc00 && code <= 0xdfff && at > 1;
  return isLow ? text.slice(at - 2, at) : text.slice(at - 1, at);
}
