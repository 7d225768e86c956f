import { type RawBuilder, sql } from 'kysely';
import { both, either, type LexemeQuery, lexeme, not } from '#search/lexeme-query.ts';
import type { Node } from '#search/query/tree.ts';
import { analyseTree, wantedWords } from '#search/terms.ts';
import { lexemeOf } from './lexemes.ts';
import type { TextField } from './terms.ts';

/** A group of hits with the same rank: they come after the tiers before this one. No hit is in two tiers. */
export type Tier = { lexemes: LexemeQuery; points: number; weight: RawBuilder<unknown> };

const weights: Record<TextField, RawBuilder<unknown>> = {
  title: sql`title_weight`,
  body: sql`body_weight`,
  comments: sql`comments_weight`,
};
const maxWords = 8;
/** A weight is below 1.7, so that tiers never overlap. */
const step = 2;

/**
 * In which order the hits of a query come: those that have all of its words in the title, or some of them; all in the body, or
 * some; then those that have them in comments. Undefined for a query without words.
 */
export function tiersOf(query: Node, places: readonly TextField[]): Tier[] | undefined {
  const terms = analyseTree(query);
  const words = terms ? [...new Set(wantedWords(terms).flatMap((some) => some.terms.flatMap((term) => term.lexemes)))] : [];
  if (words.length === 0) return undefined;
  const wanted = words.slice(0, maxWords);
  const levels = places.flatMap((place) => {
    const lexemes = wanted.map((word) => lexeme(lexemeOf[place](word)));
    const some = { lexemes: either(lexemes), weight: weights[place] };
    return wanted.length > 1 ? [{ ...some, lexemes: both(lexemes) }, some] : [some];
  });
  // Whatever matched is in some tier, also where a term beyond the first ones, or an alternative, brought it here.
  const tiers = [...levels.slice(0, -1), { lexemes: undefined, weight: weights[places.at(-1) ?? 'comments'] }];
  return tiers.map(({ lexemes, weight }, at) => ({
    lexemes: both([
      ...(lexemes ? [lexemes] : []),
      ...tiers.slice(0, at).flatMap((tier) => (tier.lexemes ? [not(tier.lexemes)] : [])),
    ]),
    points: (tiers.length - at - 1) * step,
    weight,
  }));
}
