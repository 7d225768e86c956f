import { sql } from 'kysely';
import { termsOf } from '#search/analyse/analyse.ts';
import { both } from '#search/lexeme-query.ts';
import type { Node, Text } from '#search/query/tree.ts';
import { mayHoldPhrase } from '#search/word-pairs.ts';
import { allOf, anyOf, byLexemes, type Matching, noneOf, nothing } from './matching.ts';
import { type Known, qualifierMatching } from './qualifiers.ts';
import { anywhere, inPlaces, type TextField } from './terms.ts';

/** What a query means depends on these, beside its words. */
export type Meaning = Known & { places: readonly TextField[] };

/**
 * Which rows a part of a query asks for; undefined where it has nothing to look for. A phrase is taken as its words, so that
 * more may match than should, never less: `hasPhrase` tells whether a closer look is needed.
 */
export function compile(node: Node, meaning: Meaning, negated = false): Matching | undefined {
  switch (node.kind) {
    case 'text':
      return compileText(node, meaning, negated);
    case 'qualifier':
      // `in:` only says where words are looked for.
      if (node.value.type === 'set') return undefined;
      return qualifierMatching(node, meaning);
    case 'not': {
      const part = compile(node.part, meaning, !negated);
      return part && noneOf(part);
    }
    default: {
      const parts = node.parts.map((part) => compile(part, meaning, negated)).filter((part) => part !== undefined);
      if (parts.length === 0) return undefined;
      return node.kind === 'all' ? allOf(parts) : anyOf(parts);
    }
  }
}

function compileText(text: Text, { places }: Meaning, negated: boolean): Matching | undefined {
  const terms = termsOf(text.text);
  if (terms.length === 0) return undefined;
  if (!isPhrase(text)) return byLexemes(both(terms.map((term) => anywhere(places, term))));
  // An excluded phrase: an issue with its words, but without the phrase, still matches. So nothing can be left out here.
  if (negated) return nothing;
  const pairs = mayHoldPhrase(terms, sql`pairs`);
  return { lexemes: inPlaces(places, terms), ...(pairs ? { condition: pairs } : {}) };
}

export const isPhrase = ({ quoted, text }: Text): boolean => quoted && termsOf(text).length > 1;

/** Whether lexemes alone can't tell what matches. */
export function hasPhrase(node: Node): boolean {
  if (node.kind === 'text') return isPhrase(node);
  if (node.kind === 'not') return hasPhrase(node.part);
  return node.kind !== 'qualifier' && node.parts.some(hasPhrase);
}
