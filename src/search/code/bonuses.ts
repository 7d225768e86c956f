import { sql } from 'kysely';
import { both, either, type LexemeQuery, lexeme } from '#search/lexeme-query.ts';
import { lexemesFor, type Terms, wantedWords } from '#search/terms.ts';
import { lexemeOf } from './lexemes.ts';
import { inPlaces, type Places } from './terms.ts';

/** What a row earns beyond its weight when it has these lexemes too. */
export type Bonus = { lexemes: LexemeQuery; points: number };

/** A hit in the text earns at most 1.7, so that each of these comes before any of those. */
const points = { path: 4, definition: 3, name: 2, all: 1 };
const maxWords = 8;

/** Whether a word of the query may be in the path of a row `f`, as its `score` tells; for searches in texts and paths. */
export const mayBeInPath = sql`(f.score >= ${points.path}::real)`;

/** Words in the path and names that a file defines come before words in its text, and all of them before some. */
export function bonusesOf(terms: Terms, places: Places): Bonus[] {
  const words = wantedWords(terms);
  const inAll = words.flatMap(({ terms: some }) => some.flatMap((term) => term.lexemes));
  const wanted = inAll.slice(0, maxWords);
  const any = (kind: (word: string) => string): LexemeQuery => either(wanted.map((word) => lexeme(kind(word))));
  const all = (kind: (word: string) => string): LexemeQuery => both(wanted.map((word) => lexeme(kind(word))));
  const everywhere = places.path && places.file;
  return [
    ...(everywhere ? [{ lexemes: either(inAll.map((word) => lexeme(lexemeOf.path(word)))), points: points.path }] : []),
    ...(everywhere && wanted.length > 1 ? [{ lexemes: all(lexemeOf.path), points: points.all }] : []),
    ...(places.path ? [{ lexemes: any(lexemeOf.name), points: points.name }] : []),
    ...(places.file ? [{ lexemes: any(lexemeOf.definition), points: points.definition }] : []),
    ...(hasAlternatives(terms)
      ? [{ lexemes: lexemesFor({ kind: 'all', parts: words }, inPlaces(places)), points: points.all }]
      : []),
  ];
}

const hasAlternatives = (terms: Terms): boolean =>
  terms.kind === 'any' || (terms.kind === 'all' && terms.parts.some(hasAlternatives));
