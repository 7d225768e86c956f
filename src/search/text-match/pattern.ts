import type { Term } from '#search/analyse/analyse.ts';
import { unspacedOf } from '#search/analyse/split.ts';

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** A pattern of the spellings of a word with composed and decomposed accents, which the analyser treats as equal. */
function spellings(word: string): string {
  const forms = new Set([word, word.normalize('NFC'), word.normalize('NFD')].map(escaped));
  return forms.size > 1 ? `(?:${[...forms].join('|')})` : escaped(word);
}

/** Whether a word needs word boundaries. Words of scripts without spaces don't. */
const isBounded = ({ written }: Term): boolean => unspacedOf(written).length === 0;

const underscores = /^_+$/;

/**
 * The pattern between two words of a phrase. It isn't empty if both need word boundaries. It can't match the beginning of the
 * next word, so there is at most one way to match and the time is linear.
 */
function between(term: Term, next: Term): string {
  if (isBounded(term) && isBounded(next)) return '[^\\p{L}\\p{N}\\p{M}_]+';
  const isSign = underscores.test(term.written) || underscores.test(next.written);
  return isSign ? '[^\\p{L}\\p{N}\\p{M}_]*' : '[^\\p{L}\\p{N}\\p{M}]*';
}

/** A pattern of these words in order, with only non-word characters between them. */
export function phrasePattern(terms: readonly Term[], flags: string): RegExp {
  const words = terms.map((term, index) => {
    const next = terms[index + 1];
    return spellings(term.written) + (next ? between(term, next) : '');
  });
  const last = terms.at(-1);
  const end = last && isBounded(last) ? '(?![\\p{L}\\p{N}\\p{M}_])' : '';
  return new RegExp(`${startOf(terms)}${words.join('')}${end}`, flags);
}

/** A pattern of the first word of a phrase. */
export const beginningPattern = (terms: readonly Term[], flags: string): RegExp =>
  new RegExp(
    startOf(terms) +
      terms
        .slice(0, 1)
        .map(({ written }) => spellings(written))
        .join(''),
    flags,
  );

/** A phrase doesn't begin inside a word. */
const startOf = ([first]: readonly Term[]): string => (first && isBounded(first) ? '(?<![\\p{L}\\p{N}\\p{M}_])' : '');

/** A pattern of one word, which also matches inside identifiers. */
export const wordPattern = ({ written }: Term): RegExp => new RegExp(escaped(written), 'giu');
