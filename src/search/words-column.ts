import { sql } from 'kysely';

/** PostgreSQL keeps a value in its row unless the row is longer than two kilobytes, whatever `toast_tuple_target` says. */
const outOfRow = 2_200;

/**
 * What a row is found by, as its column `words` holds it: one lexeme a line. Few and short ones are padded, so that PostgreSQL
 * moves them out of the row, which stays small: thousands of rows are counted in milliseconds. The padding is a lexeme that is
 * there already, over and over: it makes no difference to the index, and packs well.
 */
export function wordsColumn(lexemes: readonly string[]): string {
  const words = lexemes.join('\n');
  const longest = lexemes.reduce((long, lexeme) => (lexeme.length > long.length ? lexeme : long), '');
  if (longest === '' || words.length >= outOfRow) return words;
  const padding = `\n${longest}`;
  return words + padding.repeat(Math.ceil((outOfRow - words.length) / padding.length));
}

/** The lexemes of a column `words`. Indexes are made of this very expression, so conditions that use them must be written so. */
export const lexemesIn = (column: 'words' | 'w.words') => sql.raw(`array_to_tsvector(string_to_array(${column}, e'\\n'))`);

/** Those of the row that a statement reads. */
export const lexemesOfRow = lexemesIn('words');
