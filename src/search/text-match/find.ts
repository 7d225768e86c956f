import { fold, searchableParts, type Term } from '#search/analyse/analyse.ts';
import { type Span, unspacedOf } from '#search/analyse/split.ts';
import { phrasePattern, wordPattern } from './pattern.ts';

/** Words of a query that are looked for together: one after the other, or each for itself. */
export type Wanted = { terms: readonly Term[]; phrase: boolean };

/**
 * Where a text matches, in order and without overlaps: phrases whole, words where the analyser sees an identifier or a part of
 * one. At most `most` places. The work grows with the length of the text, and with nothing else.
 */
export function findMatches(text: string, wanted: readonly Wanted[], most: number): Span[] {
  const found = wanted.flatMap(({ terms, phrase }) =>
    phrase ? spansOf(text, phrasePattern(terms, 'giu'), most) : terms.flatMap((term) => findWord(text, term, most)),
  );
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

function findWord(text: string, term: Term, most: number): Span[] {
  if (unspacedOf(term.written).length > 0) return spansOf(text, wordPattern(term), most);
  const wanted = fold(term.written);
  const spans: Span[] = [];
  const known = new Map<string, Span[]>();
  for (const { start, end } of identifiersLike(text, term)) {
    const identifier = text.slice(start, end);
    const inside = known.get(identifier) ?? placesIn(identifier, wanted);
    known.set(identifier, inside);
    for (const place of inside) spans.push({ start: start + place.start, end: start + place.end });
    if (spans.length >= most) break;
  }
  return spans;
}

/** Where a lexeme stands in an identifier: it is the whole, parts of it, or what is between words of a script without blanks. */
function placesIn(identifier: string, wanted: string): Span[] {
  if (fold(identifier) === wanted) return [{ start: 0, end: identifier.length }];
  return [...searchableParts(identifier), ...betweenStretches(identifier)].filter(
    ({ start, end }) => fold(identifier.slice(start, end)) === wanted,
  );
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
 * The identifiers of a text that may hold a word, each once. Another letter than ASCII's may be written in several ways that
 * fold alike, so that every identifier is one of these.
 */
function* identifiersLike(text: string, term: Term): Generator<Span> {
  const pattern = ascii.test(term.written) ? wordPattern(term) : /[\p{L}\p{N}\p{M}_]+/gu;
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
