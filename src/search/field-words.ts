import { type RawBuilder, sql } from 'kysely';
import { both, either, type LexemeQuery, lexeme } from './lexeme-query.ts';
import { lexemesFor, type Terms } from './terms.ts';
import { lexemesIn } from './words-column.ts';

/** The spelling of each field's lexemes, so that an index can tell the field of a word. */
type FieldLexemes<Field extends string> = Readonly<Record<Field, (word: string) => string>>;

/** All terms in one of the fields. */
const inFields =
  <Field extends string>(lexemeOf: FieldLexemes<Field>, fields: readonly Field[]) =>
  (terms: readonly { lexemes: string[] }[]): LexemeQuery =>
    either(fields.map((field) => both(terms.flatMap(({ lexemes }) => lexemes).map((word) => lexeme(lexemeOf[field](word))))));

/** Whether the row `w` of words has the terms in one of the fields. */
export const hasWords = <Field extends string>(
  terms: Terms,
  lexemeOf: FieldLexemes<Field>,
  fields: readonly Field[],
): RawBuilder<unknown> => hasLexemes(lexemesFor(terms, inFields(lexemeOf, fields)));

/** Whether the row `w` of words has these lexemes. */
function hasLexemes(query: LexemeQuery): RawBuilder<unknown> {
  if (query.kind === 'query') return sql`${lexemesIn('w.words')} @@ ${query.text}::tsquery`;
  return query.kind === 'always' ? sql`true` : sql`false`;
}

/** The sum of the weights of the fields for which the condition holds. */
export const fieldWeights = <Field extends string>(
  fields: readonly Field[],
  weights: Readonly<Record<Field, number>>,
  conditionOf: (field: Field) => RawBuilder<unknown>,
): RawBuilder<unknown> =>
  sql.join(
    [sql`0`, ...fields.map((field) => sql`case when ${conditionOf(field)} then ${sql.lit(weights[field])} else 0 end`)],
    sql` + `,
  );
