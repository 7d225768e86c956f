import { type RawBuilder, sql } from 'kysely';
import { always, both, either, type LexemeQuery, never, not } from '#search/lexeme-query.ts';
import { lexemesOfRow } from '#search/words-column.ts';

/** What an issue's row must be like: its lexemes, by the index, and more where lexemes can't tell. Both must hold. */
export type Matching = { lexemes: LexemeQuery; condition?: RawBuilder<unknown> };

export const byLexemes = (lexemes: LexemeQuery): Matching => ({ lexemes });
export const byRow = (condition: RawBuilder<unknown>): Matching => ({ lexemes: always, condition });
export const everything: Matching = { lexemes: always };
export const nothing: Matching = { lexemes: never };

/** Rows that match each of these. */
export function allOf(parts: readonly Matching[]): Matching {
  const conditions = parts.flatMap(({ condition }) => (condition ? [condition] : []));
  const lexemes = both(parts.map((part) => part.lexemes));
  return conditions.length > 0 ? { lexemes, condition: sql`(${sql.join(conditions, sql` and `)})` } : { lexemes };
}

/** Rows that match one of these. The index still answers for the lexemes of all of them. */
export function anyOf(parts: readonly Matching[]): Matching {
  const lexemes = either(parts.map((part) => part.lexemes));
  if (parts.every(({ condition }) => condition === undefined)) return { lexemes };
  return { lexemes, condition: sql`(${sql.join(parts.map(wholly), sql` or `)})` };
}

/** Rows that don't match. */
export const noneOf = (part: Matching): Matching =>
  part.condition === undefined ? { lexemes: not(part.lexemes) } : { lexemes: always, condition: sql`not ${wholly(part)}` };

/** A matching as one condition on the row. */
export function wholly({ lexemes, condition }: Matching): RawBuilder<unknown> {
  if (lexemes.kind === 'never') return sql`false`;
  const found = lexemes.kind === 'query' ? sql`${lexemesOfRow} @@ ${lexemes.text}::tsquery` : sql`true`;
  return condition ? sql`(${found} and coalesce(${condition}, false))` : sql`(${found})`;
}
