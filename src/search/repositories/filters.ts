import { type RawBuilder, sql } from 'kysely';
import type { Id } from '#lib/id.ts';
import { findLanguage } from '#search/languages/language.ts';
import { type Filter, valuesOf } from '#search/query/filters.ts';
import { findQualifier } from '#search/query/qualifiers.ts';
import type { Node } from '#search/query/tree.ts';
import type { Value } from '#search/query/values.ts';
import { defaultTextFields, type TextField, textFields } from './lexemes.ts';

/** The fields of `in:`, or the default ones without it. `-in:` excludes a field. */
export function searchedFieldsOf(filters: readonly Filter[]): readonly TextField[] {
  const named = (negated: boolean) => valuesOf(filters, { name: 'in', type: 'set', negated }).flatMap(({ words }) => words);
  const [included, excluded] = [named(false), named(true)];
  const fields = included.length > 0 ? textFields.filter((field) => included.includes(field)) : defaultTextFields;
  return fields.filter((field) => !excluded.includes(field));
}

/** The number of a repository's open issues with a label, whose words may be separated by blanks or hyphens. */
export const openIssuesLabelled = (label: string): RawBuilder<number> => sql<number>`(
  select count(distinct i.id) from issue_labels il join labels l on l.id = il.label_id join issues i on i.id = il.issue_id
  where l.repository_id = r.id and replace(lower(l.name), '-', ' ') = ${label} and i.state = 'open')`;

const numbers: Record<string, RawBuilder<unknown>> = {
  size: sql`r.size_kb`,
  followers: sql`0`, // Hearth has no followers yet
  forks: sql`r.forks_count`,
  stars: sql`r.stargazers_count`,
  topics: sql`cardinality(r.topics)`,
  'good-first-issues': openIssuesLabelled('good first issue'),
  'help-wanted-issues': openIssuesLabelled('help wanted'),
};

/** The names of families of licences (the public API's). */
const licenseFamilies: Readonly<Record<string, readonly string[]>> = {
  cc: ['cc0-1.0', 'cc-by-4.0', 'cc-by-sa-4.0'],
  gpl: ['gpl-2.0', 'gpl-3.0'],
  lgpl: ['lgpl-2.1', 'lgpl-3.0'],
};

const licensesNamed = (name: string): readonly string[] =>
  (Object.hasOwn(licenseFamilies, name) && licenseFamilies[name]) || [name];

/** The viewer, for `@me`. */
type Viewer = { viewerId?: Id<'accounts'> | undefined };

/**
 * The condition of qualifiers about repositories on the row `r`. Values of one qualifier are alternatives where its specification
 * says so.
 */
export function repositoryFilter(filters: readonly Filter[], viewer: Viewer): RawBuilder<unknown> {
  const condition = (filter: Filter) => conditionOf(filter, viewer);
  const filtersOnRepository = filters.filter(({ name }) => name !== 'in'); // `in:` isn't a condition
  const groups = Map.groupBy(filtersOnRepository, ({ name, negated }) =>
    !negated && findQualifier('repositories', name)?.repeated === 'any' ? name : undefined,
  );
  const together = (groups.get(undefined) ?? []).map(condition);
  const alternatives = [...groups].flatMap(([name, some]) => (name === undefined ? [] : [joined(some.map(condition), 'or')]));
  return joined([...together, ...alternatives], 'and');
}

/** A combination of qualifiers, without terms, as one condition. */
export function combination(node: Node, viewer: Viewer): RawBuilder<unknown> {
  const parts = (nodes: readonly Node[]) => nodes.map((part) => combination(part, viewer));
  switch (node.kind) {
    case 'not':
      return sql`not (${combination(node.part, viewer)})`;
    case 'all':
      return joined(parts(node.parts), 'and');
    case 'any':
      return joined(parts(node.parts), 'or');
    case 'text':
      return sql`true`;
    case 'qualifier':
      return conditionOf({ name: node.name, value: node.value, negated: false }, viewer);
  }
}

const joined = (conditions: readonly RawBuilder<unknown>[], word: 'and' | 'or'): RawBuilder<unknown> =>
  conditions.length > 0 ? sql`(${sql.join(conditions, word === 'and' ? sql` and ` : sql` or `)})` : sql`true`;

/** A condition on a missing value is false. */
function conditionOf({ name, value, negated }: Filter, viewer: Viewer): RawBuilder<unknown> {
  const found = sql`coalesce(${conditionOfValue(name, value, viewer)}, false)`;
  return negated ? sql`not ${found}` : found;
}

/** The cast allows bounds that exceed the type of the column. */
const between = (column: RawBuilder<unknown>, { min, max }: { min?: number; max?: number }): RawBuilder<unknown> =>
  sql`(${min === undefined ? sql`true` : sql`${column} >= ${min}::bigint`}
    and ${max === undefined ? sql`true` : sql`${column} <= ${max}::bigint`})`;

const inRange = (column: RawBuilder<unknown>, { from, until }: { from?: number; until?: number }): RawBuilder<unknown> =>
  sql`(${from === undefined ? sql`true` : sql`${column} >= ${new Date(from)}`}
    and ${until === undefined ? sql`true` : sql`${column} < ${new Date(until)}`})`;

function conditionOfValue(name: string, value: Value, { viewerId }: Viewer): RawBuilder<unknown> {
  const isFork = sql`(r.source_id is not null or r.parent_id is not null)`;
  switch (value.type) {
    case 'number':
      return numbers[name] ? between(numbers[name], value) : sql`false`;
    case 'date':
      return inRange(name === 'pushed' ? sql`r.pushed_at` : sql`r.created_at`, value);
    case 'text':
      if (name === 'topic') return sql`${value.text.toLowerCase()} = any(r.topics)`;
      if (name === 'license') return sql`r.license = any(${licensesNamed(value.text.toLowerCase())})`;
      return name === 'language' ? sql`lower(r.language) = lower(${findLanguage(value.text) ?? value.text})` : sql`false`;
    case 'flag':
      if (name === 'archived') return sql`r.archived = ${value.on}`;
      if (name === 'template') return sql`r.is_template = ${value.on}`;
      return value.on ? sql`false` : sql`true`; // Hearth has no mirrors
    case 'choice':
      if (name === 'is' && value.choice === 'private') return sql`r.visibility <> 'public'`;
      if (name === 'is') return sql`r.visibility = ${value.choice}`;
      if (name === 'has') return sql`false`; // Hearth has no sponsors yet
      return value.choice === 'true' ? sql`true` : sql`${isFork} = ${value.choice === 'only'}`;
    case 'repository':
      return sql`(lower(o.login) = lower(${value.owner}) and lower(r.name) = lower(${value.name}))`;
    case 'login':
      return value.login === '@me' ? sql`o.id = ${viewerId ?? null}` : sql`lower(o.login) = lower(${value.login})`;
    default:
      return sql`false`;
  }
}
