import { type RawBuilder, sql } from 'kysely';
import { both, either, type LexemeQuery, lexeme, not } from '#search/lexeme-query.ts';
import type { Node } from '#search/query/tree.ts';
import { analyseTree, includedWords } from '#search/terms.ts';
import { lexemeOf } from './lexemes.ts';
import type { TextField } from './terms.ts';

/** A group of hits that rank below all hits of earlier tiers. Each hit is in one tier. */
export type Tier = { lexemes: LexemeQuery; points: number; weight: RawBuilder<unknown> };

const weights: Record<TextField, RawBuilder<unknown>> = {
  title: sql`title_weight`,
  body: sql`body_weight`,
  comments: sql`comments_weight`,
};
const maxWords = 8;
/** The distance between tiers. Weights are below 1.7, so tiers never overlap. */
const tierPoints = 2;

/**
 * The tiers of a query, best first: all words in the title, some in the title, then the same for the body and the comments.
 * Undefined for a query without words.
 */
export function tiersOf(query: Node, searchedFields: readonly TextField[]): Tier[] | undefined {
  const terms = analyseTree(query);
  const words = terms ? [...new Set(includedWords(terms).flatMap((some) => some.terms.flatMap((term) => term.lexemes)))] : [];
  if (words.length === 0) return undefined;
  const scoredWords = words.slice(0, maxWords);
  const levels = searchedFields.flatMap((field) => {
    const lexemes = scoredWords.map((word) => lexeme(lexemeOf[field](word)));
    const some = { lexemes: either(lexemes), weight: weights[field] };
    return scoredWords.length > 1 ? [{ ...some, lexemes: both(lexemes) }, some] : [some];
  });
  // The last tier has all remaining hits, such as hits that match by later words or an alternative.
  const tiers = [...levels.slice(0, -1), { lexemes: undefined, weight: weights[searchedFields.at(-1) ?? 'comments'] }];
  return tiers.map(({ lexemes, weight }, at) => ({
    lexemes: both([
      ...(lexemes ? [lexemes] : []),
      ...tiers.slice(0, at).flatMap((tier) => (tier.lexemes ? [not(tier.lexemes)] : [])),
    ]),
    points: (tiers.length - at - 1) * tierPoints,
    weight,
  }));
}
