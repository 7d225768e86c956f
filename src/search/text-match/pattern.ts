import type { Term } from '#search/analyse/analyse.ts';
import { unspacedOf } from '#search/analyse/split.ts';

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** The spellings of a word with composed and with separate accents, which are the same to the analyser. */
function spellings(word: string): string {
  const forms = new Set([word, word.normalize('NFC'), word.normalize('NFD')].map(escaped));
  return forms.size > 1 ? `(?:${[...forms].join('|')})` : escaped(word);
}

/** Whether a word is bounded by what is no letter: words of scripts without blanks aren't. */
const isBounded = ({ written }: Term): boolean => unspacedOf(written).length === 0;

const underscores = /^_+$/;

/**
 * What stands between two words of a phrase: something, where both are bounded. No match of it begins as the next word may,
 * so that there is one way at most to match a text, and the work grows with its length alone.
 */
function between(term: Term, next: Term): string {
  if (isBounded(term) && isBounded(next)) return '[^\\p{L}\\p{N}\\p{M}_]+';
  const isSign = underscores.test(term.written) || underscores.test(next.written);
  return isSign ? '[^\\p{L}\\p{N}\\p{M}_]*' : '[^\\p{L}\\p{N}\\p{M}]*';
}

/** Finds these words one after the other, with anything between them that is no word. */
export function phrasePattern(terms: readonly Term[], flags: string): RegExp {
  const words = terms.map((term, index) => {
    const next = terms[index + 1];
    return spellings(term.written) + (next ? between(term, next) : '');
  });
  const last = terms.at(-1);
  const end = last && isBounded(last) ? '(?![\\p{L}\\p{N}\\p{M}_])' : '';
  return new RegExp(`${startOf(terms)}${words.join('')}${end}`, flags);
}

/** Finds the first word of a phrase. */
export const beginningPattern = (terms: readonly Term[], flags: string): RegExp =>
  new RegExp(
    startOf(terms) +
      terms
        .slice(0, 1)
        .map(({ written }) => spellings(written))
        .join(''),
    flags,
  );

/** A phrase doesn't begin inside a word that is bounded. */
const startOf = ([first]: readonly Term[]): string => (first && isBounded(first) ? '(?<![\\p{L}\\p{N}\\p{M}_])' : '');

/** Finds one word, inside identifiers too. */
export const wordPattern = ({ written }: Term): RegExp => new RegExp(escaped(written), 'giu');
