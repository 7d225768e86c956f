import { type RawBuilder, sql } from 'kysely';
import type { Id } from '#lib/id.ts';
import { termsOf } from '#search/analyse/analyse.ts';
import { between, type ConditionOf, fieldsIn, filterCondition, inRange } from '#search/conditions.ts';
import { hasWords } from '#search/field-words.ts';
import { findLanguage } from '#search/languages/language.ts';
import { type Filter, valuesOf } from '#search/query/filters.ts';
import { ownedBy } from '#search/scope/scope.ts';
import { type IndexedField, lexemeOf, type TextField, textFields } from './lexemes.ts';

/** The fields that are searched for a query's words. */
export const searchedFieldsOf = (filters: readonly Filter[], { seesEmails }: { seesEmails: boolean }): readonly TextField[] =>
  fieldsIn(filters, { all: textFields, byDefault: textFields }).filter((field) => seesEmails || field !== 'email');

/** The number of public repositories of the account `a`, which everybody may see. */
export const publicRepositories: RawBuilder<number> = sql<number>`(
  select count(*) from repositories r where r.owner_id = a.id and r.visibility = 'public')`;

/** The viewer, for `@me`. */
type Viewer = { viewerId?: Id<'accounts'> | undefined };

/** The condition of a qualifier on the account `a` and its words `w`. */
export const userCondition =
  ({ viewerId }: Viewer): ConditionOf =>
  (name, value) => {
    switch (value.type) {
      case 'number':
        return between(name === 'repos' ? publicRepositories : sql`0`, value); // Hearth has no followers yet
      case 'date':
        return inRange(sql`a.created_at`, value);
      case 'text':
        return name === 'language' ? ownsCodeIn(value.text) : hasText(name === 'location' ? 'location' : 'name', value.text);
      case 'choice':
        if (name === 'type') return sql`a.kind = ${value.choice === 'org' ? 'organization' : 'user'}`;
        return sql`false`; // Hearth has no sponsors yet
      case 'login':
        return isNamed({ [name]: [value.login] }, viewerId);
      default:
        return sql`false`;
    }
  };

/** The condition of all qualifiers on the account `a` and its words `w`. Any number of names becomes one condition. */
export function usersCondition(filters: readonly Filter[], viewer: Viewer): RawBuilder<unknown> {
  const named = (name: string, negated: boolean) => valuesOf(filters, { name, type: 'login', negated }).map(({ login }) => login);
  const names = (negated: boolean): Names => ({ user: named('user', negated), org: named('org', negated) });
  const others = filters.filter(({ value }) => value.type !== 'login');
  const isAny = filters.some(({ value, negated }) => value.type === 'login' && !negated);
  return sql`(${isAny ? isNamed(names(false), viewer.viewerId) : sql`true`} and not ${isNamed(names(true), viewer.viewerId)}
    and ${filterCondition('users', others, userCondition(viewer))})`;
}

type Names = { user?: readonly string[]; org?: readonly string[] };

const isNamed = ({ user = [], org = [] }: Names, viewerId: Id<'accounts'> | undefined): RawBuilder<unknown> =>
  sql`(${ownedBy(sql`a`, user, viewerId)} or (a.kind = 'organization' and ${ownedBy(sql`a`, org, viewerId)}))`;

const ownsCodeIn = (language: string): RawBuilder<unknown> => sql`exists (
  select from repositories r where r.owner_id = a.id and r.visibility = 'public'
    and lower(r.language) = lower(${findLanguage(language) ?? language}))`;

/** Whether a field has all words of a text. */
function hasText(field: IndexedField, text: string): RawBuilder<unknown> {
  const terms = termsOf(text);
  return terms.length > 0 ? hasWords({ kind: 'words', terms, phrase: false }, lexemeOf, [field]) : sql`false`;
}
