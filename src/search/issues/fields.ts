import { type RawBuilder, sql } from 'kysely';
import { readDateRange } from '#search/query/dates.ts';

/**
 * Whether an issue has this value in a field with this name. `visible` is the condition on the fields `f` that the caller may
 * see.
 */
export const inField = (name: string, text: string, visible: RawBuilder<unknown>): RawBuilder<unknown> =>
  isAmong(selectIssuesInField(name, text, visible));

/**
 * The ids of the issues `i` that have this value in a field with this name, spelled as in `field.<name>:<text>` of a search.
 * `condition` applies to `i`, and to the fields `f` that the caller may see.
 */
export const selectIssuesInField = (name: string, text: string, condition: RawBuilder<unknown>): RawBuilder<unknown> =>
  issuesWith(
    sql`left join issue_field_options o on o.id = v.option_id
    where ${hasName(name)} and ${condition}
      and (lower(o.name) = lower(${text}) or lower(v.text_value) = lower(${text}) or ${isNumber(text)} or ${isDay(text)})`,
  );

/** Whether an issue has any value in a field with this name. */
export const holdsField = (name: string, visible: RawBuilder<unknown>): RawBuilder<unknown> =>
  isAmong(issuesWith(sql`where ${hasName(name)} and ${visible}`));

/**
 * Whether an issue is among the selected ones. The subquery is hashed, since it may contain most of all issues. `is true` keeps
 * PostgreSQL from turning it into a join, whose planning would take seconds for several fields.
 */
const isAmong = (issues: RawBuilder<unknown>): RawBuilder<unknown> => sql`(issue_id in (${issues})) is true`;

/** The ids of issues that have a value `v` with this condition. */
const issuesWith = (condition: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  select v.issue_id from issue_fields f join issue_field_values v on v.field_id = f.id
  join issues i on i.id = v.issue_id join repositories r on r.id = i.repository_id and r.owner_id = f.organization_id
  ${condition}`;

/** Whether the field `f` has this name. In queries, spaces and special characters of names are hyphens. */
const hasName = (name: string): RawBuilder<unknown> =>
  sql`trim(both '-' from regexp_replace(lower(f.name), '[^a-z0-9._-]+', '-', 'g')) = ${name}`;

const digits = String.raw`(-?\d{1,15}(?:\.\d{1,9})?)`;
const comparison = new RegExp(`^(>=|<=|>|<|)${digits}$`);
const between = new RegExp(`^(?:${digits}|\\*)\\.\\.(?:${digits}|\\*)$`);

/** Fields have fractional numbers; other qualifiers have counts. */
function isNumber(text: string): RawBuilder<unknown> {
  const [, sign, limit] = comparison.exec(text) ?? [];
  if (limit !== undefined) return sql`v.number_value ${sql.raw(sign || '=')} ${Number(limit)}::double precision`;
  const [range, low, high] = between.exec(text) ?? [];
  if (range === undefined) return sql`false`;
  const ends = [Number(low ?? Number.NEGATIVE_INFINITY), Number(high ?? Number.POSITIVE_INFINITY)];
  return sql`v.number_value between ${ends[0]}::double precision and ${ends[1]}::double precision`;
}

function isDay(text: string): RawBuilder<unknown> {
  const range = readDateRange(text);
  if (!range) return sql`false`;
  const { from, until } = range;
  const low = from === undefined ? sql`v.date_value is not null` : sql`v.date_value >= ${dayOf(from)}::date`;
  return until === undefined ? low : sql`(${low} and v.date_value < ${dayOf(until)}::date)`;
}

/** PostgreSQL can't read years with a sign or the year 0. */
const dayOf = (time: number): string => new Date(Math.max(time, firstDay)).toISOString().replace(/^\+0*/, '').replace(/T.*$/, '');

const firstDay = Date.parse('0001-01-01T00:00:00Z');
