import { type RawBuilder, sql } from 'kysely';
import type { Id } from '#lib/id.ts';
import { between, type ConditionOf, fieldsIn, inRange } from '#search/conditions.ts';
import { findLanguage } from '#search/languages/language.ts';
import type { Filter } from '#search/query/filters.ts';
import type { Value } from '#search/query/values.ts';
import { defaultTextFields, type TextField, textFields } from './lexemes.ts';

/** The fields that are searched for a query's words. */
export const searchedFieldsOf = (filters: readonly Filter[]): readonly TextField[] =>
  fieldsIn(filters, { all: textFields, byDefault: defaultTextFields });

/** The number of a repository's open issues with a label, whose words may be separated by spaces or hyphens. */
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

/** The names of license families (from the public API). */
const licenseFamilies: Readonly<Record<string, readonly string[]>> = {
  cc: ['cc0-1.0', 'cc-by-4.0', 'cc-by-sa-4.0'],
  gpl: ['gpl-2.0', 'gpl-3.0'],
  lgpl: ['lgpl-2.1', 'lgpl-3.0'],
};

const licensesNamed = (name: string): readonly string[] =>
  (Object.hasOwn(licenseFamilies, name) && licenseFamilies[name]) || [name];

/** The viewer, for `@me`. */
type Viewer = { viewerId?: Id<'accounts'> | undefined };

/** The condition of a qualifier about repositories on the row `r` and its owner `o`. */
export const repositoryCondition =
  (viewer: Viewer): ConditionOf =>
  (name, value) =>
    conditionOfValue(name, value, viewer);

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
