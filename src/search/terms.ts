import { type Term, termsOf } from '#search/analyse/analyse.ts';
import type { Node } from '#search/query/tree.ts';
import { always, both, either, type LexemeQuery, not } from './lexeme-query.ts';

/** The words of a query, analysed: the tree of the query without qualifiers and without parts that have no words. */
export type Terms =
  | { kind: 'words'; terms: Term[]; phrase: boolean }
  | { kind: 'not'; part: Terms }
  | { kind: 'all' | 'any'; parts: Terms[] };

/** Analyses the text half of a query; undefined when it has no word. */
export function analyseTree(node: Node): Terms | undefined {
  if (node.kind === 'qualifier') return undefined;
  if (node.kind === 'text') {
    const terms = termsOf(node.text);
    return terms.length > 0 ? { kind: 'words', terms, phrase: node.quoted && terms.length > 1 } : undefined;
  }
  if (node.kind === 'not') {
    const part = analyseTree(node.part);
    return part && { kind: 'not', part };
  }
  const parts = node.parts.map(analyseTree).filter((part) => part !== undefined);
  return parts.length > 0 ? { kind: node.kind, parts } : undefined;
}

/** Whether every match must have some term, so that an index can answer. */
export function isBound(terms: Terms): boolean {
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

/**
 * The lexemes that a match must have; `where` says where the words of one term, or of one phrase, may stand. Phrases are taken
 * as their words, so that more may be selected: see `hasPhrase`.
 */
export function lexemesFor(terms: Terms, where: (some: readonly Term[]) => LexemeQuery): LexemeQuery {
  switch (terms.kind) {
    case 'words':
      return terms.phrase ? where(terms.terms) : both(terms.terms.map((term) => where([term])));
    case 'not':
      // An excluded phrase: a text with its words, but without the phrase, still matches. So nothing can be left out here.
      return hasPhrase(terms.part) ? always : not(lexemesFor(terms.part, where));
    case 'all':
      return both(terms.parts.map((part) => lexemesFor(part, where)));
    case 'any':
      return either(terms.parts.map((part) => lexemesFor(part, where)));
  }
}

/** Whether lexemes alone can't tell what matches. */
export const hasPhrase = (terms: Terms): boolean => {
  if (terms.kind === 'words') return terms.phrase;
  return terms.kind === 'not' ? hasPhrase(terms.part) : terms.parts.some(hasPhrase);
};

/** The words that hits are about: those not excluded. */
export function wantedWords(terms: Terms): Extract<Terms, { kind: 'words' }>[] {
  if (terms.kind === 'words') return [terms];
  return terms.kind === 'not' ? [] : terms.parts.flatMap(wantedWords);
}
