import type { Term } from '#search/analyse/analyse.ts';
import type { Span } from '#search/analyse/split.ts';
import type { Steps } from '#search/slices.ts';
import { beginningPattern, phrasePattern } from './pattern.ts';

/** Finds a phrase in texts. */
export type PhraseFinder = {
  isIn(text: string): Steps<boolean>;
  /** Its positions, up to `maxSpans`, without overlaps. */
  spansIn(text: string, maxSpans: number): Steps<Span[]>;
};

/**
 * Finds the first word of a phrase, then matches the whole phrase there, and can pause after each attempt. One regular expression
 * for the whole text could run for a second on a text with many near matches.
 */
export function phraseFinder(terms: readonly Term[]): PhraseFinder {
  const beginning = beginningPattern(terms, 'giu');
  const phrase = phrasePattern(terms, 'iuy');
  function* spansIn(text: string, maxSpans: number): Steps<Span[]> {
    const spans: Span[] = [];
    for (let from = 0; spans.length < maxSpans; yield) {
      beginning.lastIndex = from;
      const start = beginning.exec(text)?.index;
      if (start === undefined) break;
      phrase.lastIndex = start;
      const end = phrase.test(text) ? phrase.lastIndex : undefined;
      if (end !== undefined) spans.push({ start, end });
      from = end ?? start + (isHigh(text.codePointAt(start)) ? 2 : 1);
    }
    return spans;
  }
  return {
    spansIn,
    *isIn(text) {
      return (yield* spansIn(text, 1)).length > 0;
    },
  };
}

/** Whether a character has two UTF-16 units. */
const isHigh = (code = 0): boolean => code > 0xffff;
