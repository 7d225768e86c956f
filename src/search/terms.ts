import { type Term, termsOf } from '#search/analyse/analyse.ts';
import type { Node } from '#search/query/tree.ts';
import { always, both, either, type LexemeQuery, not } from './lexeme-query.ts';

/** The analysed terms of a query: its tree without qualifiers and parts without words. */
export type Terms =
  | { kind: 'words'; terms: Term[]; phrase: boolean }
  | { kind: 'not'; part: Terms }
  | { kind: 'all' | 'any'; parts: Terms[] };

/** Analyses the terms of a query; undefined if it has no words. */
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

/** Whether every match has at least one of the terms, so that the index can be used. */
export function hasRequiredTerm(terms: Terms): boolean {
  switch (terms.kind) {
    case 'words':
      return true;
    case 'not':
      return false;
    case 'all':
      return terms.parts.some(hasRequiredTerm);
    case 'any':
      return terms.parts.every(hasRequiredTerm);
  }
}

/**
 * The lexemes that a match must have. `where` returns the condition for the words of one term, or of one phrase. Phrases are
 * treated as their words, so more rows are selected: see `hasPhrase`.
 */
export function lexemesFor(terms: Terms, where: (some: readonly Term[]) => LexemeQuery): LexemeQuery {
  switch (terms.kind) {
    case 'words':
      return terms.phrase ? where(terms.terms) : both(terms.terms.map((term) => where([term])));
    case 'not':
      // For an excluded phrase: a text with its words but without the phrase still matches, so the index can't exclude any text.
      return hasPhrase(terms.part) ? always : not(lexemesFor(terms.part, where));
    case 'all':
      return both(terms.parts.map((part) => lexemesFor(part, where)));
    case 'any':
      return either(terms.parts.map((part) => lexemesFor(part, where)));
  }
}

/** Whether candidates must be checked, since lexemes don't cover phrases. */
export const hasPhrase = (terms: Terms): boolean => {
  if (terms.kind === 'words') return terms.phrase;
  return terms.kind === 'not' ? hasPhrase(terms.part) : terms.parts.some(hasPhrase);
};

/** The words that aren't excluded. */
export function includedWords(terms: Terms): Extract<Terms, { kind: 'words' }>[] {
  if (terms.kind === 'words') return [terms];
  return terms.kind === 'not' ? [] : terms.parts.flatMap(includedWords);
}
