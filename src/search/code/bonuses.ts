import { sql } from 'kysely';
import { both, either, type LexemeQuery, lexeme } from '#search/lexeme-query.ts';
import { includedWords, lexemesFor, type Terms } from '#search/terms.ts';
import { lexemeOf } from './lexemes.ts';
import { inFields, type SearchedFields } from './terms.ts';

/** Points that are added to a row's weight if it also has these lexemes. */
export type Bonus = { lexemes: LexemeQuery; points: number };

/** The weight of a text is at most 1.7, so each of these outranks it. */
const points = { path: 4, definition: 3, name: 2, all: 1 };
const maxWords = 8;

/** Whether the path of a row `f` may contain a word of the query, judging by its `score`. For searches in texts and paths. */
export const mayBeInPath = sql`(f.score >= ${points.path}::real)`;

/**
 * The bonuses of a query. Words in the path and in names that a file defines rank above words in its text, and all words above
 * some words.
 */
export function bonusesOf(terms: Terms, searchedFields: SearchedFields): Bonus[] {
  const words = includedWords(terms);
  const allWords = words.flatMap(({ terms: some }) => some.flatMap((term) => term.lexemes));
  const scoredWords = allWords.slice(0, maxWords);
  const any = (kind: (word: string) => string): LexemeQuery => either(scoredWords.map((word) => lexeme(kind(word))));
  const all = (kind: (word: string) => string): LexemeQuery => both(scoredWords.map((word) => lexeme(kind(word))));
  const bothFields = searchedFields.path && searchedFields.file;
  return [
    ...(bothFields ? [{ lexemes: either(allWords.map((word) => lexeme(lexemeOf.path(word)))), points: points.path }] : []),
    ...(bothFields && scoredWords.length > 1 ? [{ lexemes: all(lexemeOf.path), points: points.all }] : []),
    ...(searchedFields.path ? [{ lexemes: any(lexemeOf.name), points: points.name }] : []),
    ...(searchedFields.file ? [{ lexemes: any(lexemeOf.definition), points: points.definition }] : []),
    ...(hasAlternatives(terms)
      ? [{ lexemes: lexemesFor({ kind: 'all', parts: words }, inFields(searchedFields)), points: points.all }]
      : []),
  ];
}

const hasAlternatives = (terms: Terms): boolean =>
  terms.kind === 'any' || (terms.kind === 'all' && terms.parts.some(hasAlternatives));
