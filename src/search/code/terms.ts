import type { Term } from '#search/analyse/analyse.ts';
import { both, either, type LexemeQuery, lexeme, never } from '#search/lexeme-query.ts';
import { QueryError } from '#search/query/errors.ts';
import type { Node } from '#search/query/tree.ts';
import { analyseTree, hasRequiredTerm, type Terms } from '#search/terms.ts';
import { lexemeOf } from './lexemes.ts';

/** The fields that a code search covers: the content of files and their paths. */
export type SearchedFields = { file: boolean; path: boolean };

/**
 * Analyses the terms of a query. Document 1, rule 2: each alternative needs a term, so that the index can be used. @throws
 * QueryError
 */
export function requireTerms(node: Node | undefined): Terms {
  const terms = node && analyseTree(node);
  if (!terms) throw new QueryError('no_term', 'A code search needs at least one search term besides qualifiers.');
  if (!hasRequiredTerm(terms))
    throw new QueryError('no_term', 'Each alternative of a code search needs a term that is not excluded.');
  return terms;
}

/** All terms in the text, or all in the path. */
export const inFields =
  (searchedFields: SearchedFields) =>
  (terms: readonly Term[]): LexemeQuery => {
    const lexemes = terms.flatMap((term) => term.lexemes);
    return either([
      searchedFields.file ? both(lexemes.map(lexeme)) : never,
      searchedFields.path ? both(lexemes.map((text) => lexeme(lexemeOf.path(text)))) : never,
    ]);
  };
