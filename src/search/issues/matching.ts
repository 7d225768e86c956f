import { type RawBuilder, sql } from 'kysely';
import { always, both, either, type LexemeQuery, never, not } from '#search/lexeme-query.ts';
import { lexemesOfRow } from '#search/words-column.ts';

/**
 * A condition on an issue's row: its lexemes, which the index evaluates, and a condition on the row for everything else. Both
 * must hold.
 */
export type Matching = { lexemes: LexemeQuery; condition?: RawBuilder<unknown> };

export const byLexemes = (lexemes: LexemeQuery): Matching => ({ lexemes });
export const byRow = (condition: RawBuilder<unknown>): Matching => ({ lexemes: always, condition });
export const everything: Matching = { lexemes: always };
export const nothing: Matching = { lexemes: never };

/** The rows that match all parts. */
export function allOf(parts: readonly Matching[]): Matching {
  const conditions = parts.flatMap(({ condition }) => (condition ? [condition] : []));
  const lexemes = both(parts.map((part) => part.lexemes));
  return conditions.length > 0 ? { lexemes, condition: sql`(${sql.join(conditions, sql` and `)})` } : { lexemes };
}

/** The rows that match any part. The index is still used for the lexemes of all of them. */
export function anyOf(parts: readonly Matching[]): Matching {
  const lexemes = either(parts.map((part) => part.lexemes));
  if (parts.every(({ condition }) => condition === undefined)) return { lexemes };
  return { lexemes, condition: sql`(${sql.join(parts.map(asCondition), sql` or `)})` };
}

/** The rows that don't match. */
export const noneOf = (part: Matching): Matching =>
  part.condition === undefined ? { lexemes: not(part.lexemes) } : { lexemes: always, condition: sql`not ${asCondition(part)}` };

/** A matching as one condition on the row. */
export function asCondition({ lexemes, condition }: Matching): RawBuilder<unknown> {
  if (lexemes.kind === 'never') return sql`false`;
  const found = lexemes.kind === 'query' ? sql`${lexemesOfRow} @@ ${lexemes.text}::tsquery` : sql`true`;
  return condition ? sql`(${found} and coalesce(${condition}, false))` : sql`(${found})`;
}
