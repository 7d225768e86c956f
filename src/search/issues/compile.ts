import { sql } from 'kysely';
import { termsOf } from '#search/analyse/analyse.ts';
import { both, either, lexemePrefix } from '#search/lexeme-query.ts';
import type { Node, Text } from '#search/query/tree.ts';
import { mayContainPairs } from '#search/word-pairs.ts';
import { lexemeOf } from './lexemes.ts';
import { allOf, anyOf, byLexemes, type Matching, noneOf, nothing } from './matching.ts';
import { type QualifierContext, qualifierMatching } from './qualifiers.ts';
import { inAnyField, inFields, type TextField, textFields } from './terms.ts';

/** The input of a query's compilation, apart from the query. */
export type QueryContext = QualifierContext & { searchedFields: readonly TextField[] };

/**
 * The condition of a part of a query; undefined if it has no words. A phrase is compiled as its words, so too many rows may
 * match, but never too few: `hasPhrase` tells whether candidates must be checked.
 */
export function compile(node: Node, context: QueryContext, negated = false): Matching | undefined {
  switch (node.kind) {
    case 'text':
      return compileText(node, context, negated);
    case 'qualifier':
      // `in:` sets the searched fields and isn't a condition.
      if (node.value.type === 'set') return undefined;
      return qualifierMatching(node, context);
    case 'not': {
      const part = compile(node.part, context, !negated);
      return part && noneOf(part);
    }
    default: {
      const parts = node.parts.map((part) => compile(part, context, negated)).filter((part) => part !== undefined);
      if (parts.length === 0) return undefined;
      return node.kind === 'all' ? allOf(parts) : anyOf(parts);
    }
  }
}

function compileText(text: Text, { searchedFields }: QueryContext, negated: boolean): Matching | undefined {
  const terms = termsOf(text.text);
  if (terms.length === 0) return undefined;
  if (!isPhrase(text)) {
    const words = both(terms.map((term) => inAnyField(searchedFields, term)));
    const isCommit = commitName.test(text.text) && searchedFields.length === textFields.length;
    return byLexemes(isCommit ? either([words, lexemePrefix(lexemeOf.commit(text.text))]) : words);
  }
  // For an excluded phrase: an issue with its words but without the phrase still matches, so the index can't exclude any issue.
  if (negated) return nothing;
  const pairs = mayContainPairs(terms, sql`pairs`);
  return { lexemes: inFields(searchedFields, terms), ...(pairs ? { condition: pairs } : {}) };
}

/** A word that may also be a commit's name or its first digits. It finds the pull requests that have the commit. */
const commitName = /^[0-9a-f]{7,40}$/i;

export const isPhrase = ({ quoted, text }: Text): boolean => quoted && termsOf(text).length > 1;

/** Whether candidates must be checked, since lexemes don't cover phrases. */
export function hasPhrase(node: Node): boolean {
  if (node.kind === 'text') return isPhrase(node);
  if (node.kind === 'not') return hasPhrase(node.part);
  return node.kind !== 'qualifier' && node.parts.some(hasPhrase);
}
