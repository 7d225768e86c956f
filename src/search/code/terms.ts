import { type Term, termsOf } from '#search/analyse/analyse.ts';
import { QueryError } from '#search/query/errors.ts';
import type { Node } from '#search/query/tree.ts';
import { facet } from './facets.ts';
import { always, both, either, type LexemeQuery, lexeme, never, not } from './lexeme-query.ts';

/** Where the terms of a code search may be found. */
export type Places = { file: boolean; path: boolean };

/** The words of a query, analysed: the same tree with what has no words left out. */
export type Terms =
  | { kind: 'words'; terms: Term[]; phrase: boolean }
  | { kind: 'not'; part: Terms }
  | { kind: 'all' | 'any'; parts: Terms[] };

/** Analyses the text half of a query. Document 1, rule 2: at least one term, in every alternative, or no index could answer. */
export function analyseTerms(node: Node | undefined): Terms {
  const terms = node && analysed(node);
  if (!terms) throw new QueryError('no_term', 'A code search needs at least one search term besides qualifiers.');
  if (!isBound(terms)) throw new QueryError('no_term', 'Each alternative of a code search needs a term that is not excluded.');
  return terms;
}

function analysed(node: Node): Terms | undefined {
  if (node.kind === 'qualifier') return undefined;
  if (node.kind === 'text') {
    const terms = termsOf(node.text);
    return terms.length > 0 ? { kind: 'words', terms, phrase: node.quoted && terms.length > 1 } : undefined;
  }
  if (node.kind === 'not') {
    const part = analysed(node.part);
    return part && { kind: 'not', part };
  }
  const parts = node.parts.map(analysed).filter((part) => part !== undefined);
  return parts.length > 0 ? { kind: node.kind, parts } : undefined;
}

/** Whether every file that matches holds some term. */
function isBound(terms: Terms): boolean {
  switch (terms.kind) {
    case 'words':
      return true;
    case 'not':
      return false;
    case 'all':
      return terms.parts.some(isBound);
    case 'any':
      return terms.parts.every(isBound);
  }
}

/** The lexemes that a matching file must have. Where phrases are involved it may select more: `hasPhrase` tells. */
export function lexemesFor(terms: Terms, places: Places): LexemeQuery {
  switch (terms.kind) {
    case 'words':
      return terms.phrase ? placed(terms.terms, places) : both(terms.terms.map((term) => placed([term], places)));
    case 'not':
      // Files with the words of a phrase, but not the phrase, must stay.
      return hasPhrase(terms.part) ? always : not(lexemesFor(terms.part, places));
    case 'all':
      return both(terms.parts.map((part) => lexemesFor(part, places)));
    case 'any':
      return either(terms.parts.map((part) => lexemesFor(part, places)));
  }
}

/** All of these in the text, or all of them in the path. */
function placed(terms: readonly Term[], places: Places): LexemeQuery {
  const lexemes = terms.flatMap((term) => term.lexemes);
  return either([
    places.file ? both(lexemes.map(lexeme)) : never,
    places.path ? both(lexemes.map((text) => lexeme(facet.path(text)))) : never,
  ]);
}

export const hasPhrase = (terms: Terms): boolean => {
  if (terms.kind === 'words') return terms.phrase;
  return terms.kind === 'not' ? hasPhrase(terms.part) : terms.parts.some(hasPhrase);
};

/** The words that hits are about: those not excluded. */
export function wantedWords(terms: Terms): Extract<Terms, { kind: 'words' }>[] {
  if (terms.kind === 'words') return [terms];
  return terms.kind === 'not' ? [] : terms.parts.flatMap(wantedWords);
}
