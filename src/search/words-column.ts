import { sql } from 'kysely';

/** PostgreSQL stores values out of line (TOAST) only if the row is longer than two kilobytes. */
const toastThreshold = 2_200;

/**
 * The value of a column `words`: one lexeme on each line. Short values are padded, so that PostgreSQL stores them out of line:
 * rows stay small, and thousands of them are counted in milliseconds. The padding repeats a lexeme, which doesn't change the
 * index and compresses well.
 */
export function wordsColumn(lexemes: readonly string[]): string {
  const words = lexemes.join('\n');
  const longest = lexemes.reduce((long, lexeme) => (lexeme.length > long.length ? lexeme : long), '');
  if (longest === '' || words.length >= toastThreshold) return words;
  const padding = `\n${longest}`;
  return words + padding.repeat(Math.ceil((toastThreshold - words.length) / padding.length));
}

/** The lexemes of a column `words`. Conditions must use exactly this expression, since the indexes are on it. */
export const lexemesIn = (column: 'words' | 'w.words') => sql.raw(`array_to_tsvector(string_to_array(${column}, e'\\n'))`);

/** The lexemes of the row of a statement with one table. */
export const lexemesOfRow = lexemesIn('words');
