import { fold, searchableParts, type Term } from '#search/analyse/analyse.ts';
import { type Span, unspacedOf } from '#search/analyse/split.ts';
import type { Steps } from '#search/slices.ts';
import { wordPattern } from './pattern.ts';
import { phraseFinder } from './phrase.ts';

/** Words of a query that are looked for together: one after the other, or each for itself. */
export type Wanted = { terms: readonly Term[]; phrase: boolean };

/**
 * Where a text matches, in order and without overlaps: phrases whole, words where the analyser sees an identifier or a part of
 * one. At most `most` places, in steps. The work grows with the length of the text, and with nothing else.
 */
export function* findMatches(text: string, wanted: readonly Wanted[], most: number): Steps<Span[]> {
  const words = wanted.filter(({ phrase }) => !phrase).flatMap(({ terms }) => terms);
  const found: Span[] = [];
  for (const { terms, phrase } of wanted) if (phrase) found.push(...(yield* phraseFinder(terms).spansIn(text, most)));
  found.push(...(yield* findWords(text, words, most)));
  const spans: Span[] = [];
  for (const span of found.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (span.start >= (spans.at(-1)?.end ?? 0)) spans.push(span);
  }
  return spans.slice(0, most);
}

function spansOf(text: string, pattern: RegExp, most: number): Span[] {
  const spans: Span[] = [];
  for (const { index, 0: hit } of text.matchAll(pattern)) {
    if (hit.length > 0) spans.push({ start: index, end: index + hit.length });
    if (spans.length >= most) break;
  }
  return spans;
}

/** More words than these are looked for in one pass over the text, instead of one for each. */
const few = 3;

function* findWords(text: string, terms: readonly Term[], most: number): Steps<Span[]> {
  const [unbounded, bounded] = [terms.filter(isUnspaced), terms.filter((term) => !isUnspaced(term))];
  const groups = bounded.length > few ? [bounded] : bounded.map((term) => [term]);
  const spans: Span[] = [];
  for (const term of unbounded) {
    spans.push(...spansOf(text, wordPattern(term), most));
    yield;
  }
  for (const group of groups) spans.push(...(yield* findInIdentifiers(text, group, most)));
  return spans;
}

const isUnspaced = ({ written }: Term): boolean => unspacedOf(written).length > 0;

const identifiersPerBatch = 200;

function* findInIdentifiers(text: string, terms: readonly Term[], most: number): Steps<Span[]> {
  const wanted = new Set(terms.map(({ written }) => fold(written)));
  const spans: Span[] = [];
  const known = new Map<string, Span[]>();
  let looked = 0;
  for (const { start, end } of identifiersLike(text, terms)) {
    const identifier = text.slice(start, end);
    const inside = known.get(identifier) ?? (yield* placesIn(identifier, wanted));
    known.set(identifier, inside);
    if (looked++ % identifiersPerBatch === 0) yield;
    for (const place of inside) spans.push({ start: start + place.start, end: start + place.end });
    if (spans.length >= most) break;
  }
  return spans;
}

/** Where lexemes stand in an identifier: they are the whole, parts of it, or what is between words of a script without blanks. */
function* placesIn(identifier: string, wanted: ReadonlySet<string>): Steps<Span[]> {
  if (wanted.has(fold(identifier))) return [{ start: 0, end: identifier.length }];
  const places: Span[] = [];
  for (const [at, span] of [...searchableParts(identifier), ...betweenStretches(identifier)].entries()) {
    if (wanted.has(fold(identifier.slice(span.start, span.end)))) places.push(span);
    if (at % identifiersPerBatch === identifiersPerBatch - 1) yield;
  }
  return places;
}

function betweenStretches(identifier: string): Span[] {
  const stretches = unspacedOf(identifier);
  if (stretches.length === 0) return [];
  const starts = [0, ...stretches.map(({ end }) => end)];
  const ends = [...stretches.map(({ start }) => start), identifier.length];
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
 * The identifiers of a text that may hold one of some words, each once. Another letter than ASCII's may be written in several
 * ways that fold alike, so that every identifier is one of these; as it is for one of many words.
 */
function* identifiersLike(text: string, terms: readonly Term[]): Generator<Span> {
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
