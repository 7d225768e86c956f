import { type RawBuilder, sql } from 'kysely';
import { type Filter, valuesOf } from '#search/query/filters.ts';
import { findQualifier, type SearchKind } from '#search/query/qualifiers.ts';
import type { Node } from '#search/query/tree.ts';
import type { Value } from '#search/query/values.ts';

/** The condition of one qualifier on the row of a search. */
export type ConditionOf = (name: string, value: Value) => RawBuilder<unknown>;

/** The fields of `in:`, or the default ones without it. `-in:` excludes a field. */
export function fieldsIn<Field extends string>(
  filters: readonly Filter[],
  { all, byDefault }: { all: readonly Field[]; byDefault: readonly Field[] },
): readonly Field[] {
  const named = (negated: boolean) => valuesOf(filters, { name: 'in', type: 'set', negated }).flatMap(({ words }) => words);
  const [included, excluded] = [named(false), named(true)];
  const fields = included.length > 0 ? all.filter((field) => included.includes(field)) : byDefault;
  return fields.filter((field) => !excluded.includes(field));
}

/** The condition of qualifiers on a row. Values of one qualifier are alternatives if its specification says so. */
export function filterCondition(kind: SearchKind, filters: readonly Filter[], conditionOf: ConditionOf): RawBuilder<unknown> {
  // Without `coalesce` if nothing is negated, so that PostgreSQL can use an index.
  const condition = ({ name, value, negated }: Filter) =>
    negated ? sql`not ${present(conditionOf(name, value))}` : conditionOf(name, value);
  const filtersOnRow = filters.filter(({ name }) => name !== 'in'); // `in:` isn't a condition
  const groups = Map.groupBy(filtersOnRow, ({ name, negated }) =>
    !negated && findQualifier(kind, name)?.repeated === 'any' ? name : undefined,
  );
  const together = (groups.get(undefined) ?? []).map(condition);
  const alternatives = [...groups].flatMap(([name, some]) => (name === undefined ? [] : [joined(some.map(condition), 'or')]));
  return joined([...together, ...alternatives], 'and');
}

/** A combination of qualifiers, without terms, as one condition. */
export function combination(node: Node, conditionOf: ConditionOf): RawBuilder<unknown> {
  const parts = (nodes: readonly Node[]) => nodes.map((part) => combination(part, conditionOf));
  switch (node.kind) {
    case 'not':
      return sql`not (${combination(node.part, conditionOf)})`;
    case 'all':
      return joined(parts(node.parts), 'and');
    case 'any':
      return joined(parts(node.parts), 'or');
    case 'text':
      return sql`true`;
    case 'qualifier':
      return present(conditionOf(node.name, node.value));
  }
}

const joined = (conditions: readonly RawBuilder<unknown>[], word: 'and' | 'or'): RawBuilder<unknown> =>
  conditions.length > 0 ? sql`(${sql.join(conditions, word === 'and' ? sql` and ` : sql` or `)})` : sql`true`;

/** A condition on a missing value is false, so its negation is true. */
const present = (condition: RawBuilder<unknown>): RawBuilder<unknown> => sql`coalesce(${condition}, false)`;

/** The cast allows bounds that exceed the type of the column. */
export const between = (column: RawBuilder<unknown>, { min, max }: { min?: number; max?: number }): RawBuilder<unknown> =>
  sql`(${min === undefined ? sql`true` : sql`${column} >= ${min}::bigint`}
    and ${max === undefined ? sql`true` : sql`${column} <= ${max}::bigint`})`;

export const inRange = (column: RawBuilder<unknown>, { from, until }: { from?: number; until?: number }): RawBuilder<unknown> =>
  sql`(${from === undefined ? sql`true` : sql`${column} >= ${new Date(from)}`}
    and ${until === undefined ? sql`true` : sql`${column} < ${new Date(until)}`})`;
