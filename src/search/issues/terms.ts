import type { Term } from '#search/analyse/analyse.ts';
import { both, either, type LexemeQuery, lexeme } from '#search/lexeme-query.ts';
import type { Node } from '#search/query/tree.ts';
import { lexemeOf } from './lexemes.ts';

export const textFields = ['title', 'body', 'comments'] as const;
/** Where the terms of an issue search are looked for. */
export type TextField = (typeof textFields)[number];

/** `in:title,body,comments`, all of them without it. Excluding one leaves the others. */
export function textFieldsOf(query: Node): TextField[] {
  const named = new Set<string>();
  const left = new Set<string>();
  visit(query, false, (words, negated) => {
    for (const word of words) (negated ? left : named).add(word);
  });
  return textFields.filter((place) => (named.size === 0 || named.has(place)) && !left.has(place));
}

function visit(node: Node, negated: boolean, found: (words: readonly string[], negated: boolean) => void): void {
  if (node.kind === 'not') visit(node.part, !negated, found);
  else if (node.kind === 'all' || node.kind === 'any') for (const part of node.parts) visit(part, negated, found);
  else if (node.kind === 'qualifier' && node.value.type === 'set') found(node.value.words, negated);
}

/** All of these words together in one of the places. */
export function inPlaces(wanted: readonly TextField[], terms: readonly Term[]): LexemeQuery {
  const lexemes = terms.flatMap((term) => term.lexemes);
  return either(wanted.map((place) => both(lexemes.map((word) => lexeme(lexemeOf[place](word))))));
}

/** A word in any of the places. */
export const anywhere = (wanted: readonly TextField[], term: Term): LexemeQuery =>
  wanted.length === textFields.length ? both(term.lexemes.map(lexeme)) : inPlaces(wanted, [term]);
