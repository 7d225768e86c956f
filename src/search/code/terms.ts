import type { Term } from '#search/analyse/analyse.ts';
import { both, either, type LexemeQuery, lexeme, never } from '#search/lexeme-query.ts';
import { QueryError } from '#search/query/errors.ts';
import type { Node } from '#search/query/tree.ts';
import { analyseTree, isBound, type Terms } from '#search/terms.ts';
import { lexemeOf } from './lexemes.ts';

/** Where the terms of a code search may be found. */
export type Places = { file: boolean; path: boolean };

/** Analyses the text half of a query. Document 1, rule 2: at least one term, in every alternative, or no index could answer. */
export function requireTerms(node: Node | undefined): Terms {
  const terms = node && analyseTree(node);
  if (!terms) throw new QueryError('no_term', 'A code search needs at least one search term besides qualifiers.');
  if (!isBound(terms)) throw new QueryError('no_term', 'Each alternative of a code search needs a term that is not excluded.');
  return terms;
}

/** All of these in the text, or all of them in the path. */
export const inPlaces =
  (places: Places) =>
  (terms: readonly Term[]): LexemeQuery => {
    const lexemes = terms.flatMap((term) => term.lexemes);
    return either([
      places.file ? both(lexemes.map(lexeme)) : never,
      places.path ? both(lexemes.map((text) => lexeme(lexemeOf.path(text)))) : never,
    ]);
  };
