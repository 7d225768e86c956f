import { searchableParts, type Term } from '#search/analyse/analyse.ts';
import { type Span, unspacedOf } from '#search/analyse/split.ts';
import { phrasePattern, wordPattern } from './pattern.ts';

/** Words of a query that are looked for together: one after the other, or each for itself. */
export type Wanted = { terms: readonly Term[]; phrase: boolean };

const wordCharacter = /[\p{L}\p{N}\p{M}_]/u;
/** An identifier is looked at so far to both sides of a hit; nothing longer has parts. */
const reach = 130;

/**
 * Where a text matches, in order and without overlaps: phrases whole, words where the analyser sees an identifier or a part of
 * one. At most `most` places.
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

function spansOf(text: string, pattern: RegExp, most: number, accept: (span: Span) => boolean = () => true): Span[] {
  const spans: Span[] = [];
  for (const { index, 0: hit } of text.matchAll(pattern)) {
    const span = { start: index, end: index + hit.length };
    if (hit.length > 0 && accept(span)) spans.push(span);
    if (spans.length >= most) break;
  }
  return spans;
}

function findWord(text: string, term: Term, most: number): Span[] {
  const unspaced = unspacedOf(term.written).length > 0;
  return spansOf(text, wordPattern(term), most, unspaced ? undefined : (span) => isWordAt(text, span));
}

/** Whether a hit is a whole identifier or one of its parts, as the index has them. */
function isWordAt(text: string, { start, end }: Span): boolean {
  let from = start;
  while (from > 0 && start - from < reach && wordCharacter.test(characterBefore(text, from)))
    from -= characterBefore(text, from).length;
  let to = end;
  while (to < text.length && to - end < reach && wordCharacter.test(characterAt(text, to))) to += characterAt(text, to).length;
  if (from === start && to === end) return true;
  return searchableParts(text.slice(from, to)).some((part) => part.start === start - from && part.end === end - from);
}

const characterAt = (text: string, at: number): string => String.fromCodePoint(text.codePointAt(at) ?? 0);

function characterBefore(text: string, at: number): string {
  const code = text.charCodeAt(at - 1);
  const isLow = code >= 0xdc00 && code <= 0xdfff && at > 1;
  return isLow ? text.slice(at - 2, at) : text.slice(at - 1, at);
}
