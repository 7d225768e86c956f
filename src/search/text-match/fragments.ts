import type { Span } from '#search/analyse/split.ts';

/** A part of a text with its matches. Offsets are in UTF-16 units, relative to the fragment. */
type Fragment = { fragment: string; matches: { text: string; indices: [start: number, end: number] }[] };

/** A text match of document 1 for one property. The caller adds the object that has the property. */
export type TextMatch = Fragment & { property: string };

const length = 240;
const contextBefore = 80;

/** Cuts fragments around the matches: whole lines if they are short enough, and never inside a surrogate pair. */
export function cutFragments(text: string, spans: readonly Span[], maxFragments: number): Fragment[] {
  const fragments: Fragment[] = [];
  let previousEnd = 0;
  for (let at = 0; at < spans.length && fragments.length < maxFragments; ) {
    const first = spans[at];
    if (!first) break;
    const start = startOf(text, first.start, previousEnd);
    const end = endOf(text, start, first.end);
    const inside: Span[] = [];
    for (; (spans[at]?.end ?? end + 1) <= end; at++) inside.push(spans[at] ?? first);
    fragments.push(fragmentOf(text, { start, end }, inside));
    previousEnd = end;
    // A match that doesn't fit belongs to the next fragment.
  }
  return fragments;
}

/** A whole text as one fragment. */
export const wholeFragment = (text: string, spans: readonly Span[]): Fragment =>
  fragmentOf(text, { start: 0, end: text.length }, spans);

const fragmentOf = (text: string, { start, end }: Span, spans: readonly Span[]): Fragment => ({
  fragment: text.slice(start, end),
  matches: spans.map((span) => ({ text: text.slice(span.start, span.end), indices: [span.start - start, span.end - start] })),
});

/** The beginning of the match's line, or of the line above if both are short; not before `floor`. */
function startOf(text: string, match: number, floor: number): number {
  const lowest = Math.max(floor, match - contextBefore);
  const line = text.lastIndexOf('\n', match - 1) + 1;
  if (match === 0 || line < lowest) return match === 0 ? 0 : onCharacter(text, lowest, floor);
  const above = line === 0 ? 0 : text.lastIndexOf('\n', line - 2) + 1;
  return line > 1 && above >= lowest ? above : line;
}

/** The end of the last line that fits, or the maximum number of characters; not inside the match. */
function endOf(text: string, start: number, match: number): number {
  const highest = Math.max(start + length, match);
  if (highest >= text.length) return text.length;
  const line = text.lastIndexOf('\n', highest);
  return line >= match ? line : Math.max(match, onCharacter(text, highest, match));
}

/** The offset, moved before a surrogate pair if it is inside one. */
function onCharacter(text: string, at: number, floor: number): number {
  const code = text.charCodeAt(at);
  return at > floor && code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
