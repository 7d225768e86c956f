import type { Term } from '#search/analyse/analyse.ts';
import { both, either, type LexemeQuery, lexeme } from '#search/lexeme-query.ts';
import type { Node } from '#search/query/tree.ts';
import { lexemeOf } from './lexemes.ts';

export const textFields = ['title', 'body', 'comments'] as const;
/** The text fields of issues. */
export type TextField = (typeof textFields)[number];

/** The fields of `in:`, or all of them without it. `-in:` excludes a field. */
export function textFieldsOf(query: Node): TextField[] {
  const named = new Set<string>();
  const excluded = new Set<string>();
  visit(query, false, (words, negated) => {
    for (const word of words) (negated ? excluded : named).add(word);
  });
  return textFields.filter((field) => (named.size === 0 || named.has(field)) && !excluded.has(field));
}

function visit(node: Node, negated: boolean, found: (words: readonly string[], negated: boolean) => void): void {
  if (node.kind === 'not') visit(node.part, !negated, found);
  else if (node.kind === 'all' || node.kind === 'any') for (const part of node.parts) visit(part, negated, found);
  else if (node.kind === 'qualifier' && node.value.type === 'set') found(node.value.words, negated);
}

/** All of these words in one of the fields. */
export function inFields(searchedFields: readonly TextField[], terms: readonly Term[]): LexemeQuery {
  const lexemes = terms.flatMap((term) => term.lexemes);
  return either(searchedFields.map((field) => both(lexemes.map((word) => lexeme(lexemeOf[field](word))))));
}

/** A word in any of the fields. */
export const inAnyField = (searchedFields: readonly TextField[], term: Term): LexemeQuery =>
  searchedFields.length === textFields.length ? both(term.lexemes.map(lexeme)) : inFields(searchedFields, [term]);
