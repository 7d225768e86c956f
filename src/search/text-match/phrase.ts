import type { Term } from '#search/analyse/analyse.ts';
import type { Span } from '#search/analyse/split.ts';
import type { Steps } from '#search/slices.ts';
import { beginningPattern, phrasePattern } from './pattern.ts';

/** Looks for a phrase in texts. */
export type PhraseFinder = {
  isIn(text: string): Steps<boolean>;
  /** Where it stands, at most at `most` places, without overlaps. */
  spansIn(text: string, most: number): Steps<Span[]>;
};

/**
 * Tries the whole phrase wherever its first word stands, with a pause in between: one regular expression for all of a text that nearly
 * matches everywhere would run for a second.
 */
export function phraseFinder(terms: readonly Term[]): PhraseFinder {
  const beginning = beginningPattern(terms, 'giu');
  const whole = phrasePattern(terms, 'iuy');
  function* spansIn(text: string, most: number): Steps<Span[]> {
    const spans: Span[] = [];
    for (let from = 0; spans.length < most; yield) {
      beginning.lastIndex = from;
      const start = beginning.exec(text)?.index;
      if (start === undefined) break;
      whole.lastIndex = start;
      const end = whole.test(text) ? whole.lastIndex : undefined;
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

/** Whether a character takes two UTF-16 units. */
const isHigh = (code = 0): boolean => code > 0xffff;
