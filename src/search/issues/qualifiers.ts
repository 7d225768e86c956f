import { type RawBuilder, sql } from 'kysely';
import { findLanguage } from '#search/languages/language.ts';
import { either, lexeme } from '#search/lexeme-query.ts';
import { findQualifier } from '#search/query/qualifiers.ts';
import type { Qualifier } from '#search/query/tree.ts';
import { holdsField, inField } from './fields.ts';
import { lexemeOf } from './lexemes.ts';
import { byLexemes, byRow, everything, type Matching, noneOf, nothing } from './matching.ts';
import type { People } from './people.ts';

const fact = (name: string): Matching => byLexemes(lexeme(lexemeOf.fact(name)));

/** What qualifiers name. */
export type Known = {
  people: People;
  /** Which fields of issues, `f`, the caller may know of. */
  fields: RawBuilder<unknown>;
};

/** Which rows a qualifier asks for. What Hearth doesn't hold yet, no row has. */
export function qualifierMatching(qualifier: Qualifier, { people, fields }: Known): Matching {
  const { name, value } = qualifier;
  if (findQualifier('issues', name)?.later) return nothing;
  switch (value.type) {
    case 'login':
      if (value.login === '*') return noneOf(byLexemes(lexeme(lexemeOf.without(name))));
      return ofPerson(name, people.get(value.login));
    case 'words':
      return byLexemes(either([...new Set(value.words)].map((word) => lexeme(lexemeOf.label(word)))));
    case 'team':
      return byLexemes(lexeme(lexemeOf.team(value.organization, value.slug)));
    case 'number':
      return byRow(inNumbers(numbers[name] ?? sql`null`, value));
    case 'date':
      return byRow(inDates(dates[name] ?? sql`null`, value));
    case 'choice':
      if (name === 'no') return without(value.choice, fields);
      if (name === 'has') return noneOf(without(value.choice, fields));
      return ofChoice(name, value.choice);
    case 'text':
      return name.startsWith('field.')
        ? byRow(inField(name.slice('field.'.length), value.text, fields))
        : ofText(name, value.text);
    default:
      return ofRepository(qualifier);
  }
}

type Person = NonNullable<ReturnType<People['get']>>;

function ofPerson(name: string, person: Person | undefined): Matching {
  if (!person) return nothing;
  const { id, login } = person;
  if (name === 'user' || name === 'org') return inRepository(sql`r.owner_id = ${id}`);
  const own = {
    author: lexemeOf.author(id),
    assignee: lexemeOf.assignee(id),
    mentions: lexemeOf.mention(login),
    commenter: lexemeOf.commenter(id),
  };
  if (name === 'involves') return byLexemes(either(Object.values(own).map(lexeme)));
  return name in own ? byLexemes(lexeme(own[name as keyof typeof own])) : nothing;
}

const numbers: Record<string, RawBuilder<unknown>> = {
  comments: sql`comments`,
  reactions: sql`reactions`,
  interactions: sql`(comments + reactions)`,
};

const dates: Record<string, RawBuilder<unknown>> = {
  created: sql`created_at`,
  updated: sql`updated_at`,
  closed: sql`closed_at`,
};

const inNumbers = (column: RawBuilder<unknown>, { min, max }: { min?: number; max?: number }): RawBuilder<unknown> =>
  sql`(${column} between ${min ?? 0}::bigint and ${max ?? Number.MAX_SAFE_INTEGER}::bigint)`;

function inDates(column: RawBuilder<unknown>, { from, until }: { from?: number; until?: number }): RawBuilder<unknown> {
  const low = from === undefined ? sql`${column} is not null` : sql`${column} >= ${new Date(from)}`;
  const high = until === undefined ? sql`true` : sql`${column} < ${new Date(until)}`;
  return sql`(${low} and ${high})`;
}

/** The kinds of thing that every row has none of yet. */
const nobodyHas = new Set(['project', 'type', 'parent-issue', 'sub-issues', 'blocked-by', 'blocking']);

/** What has none of something; of a field, no value. */
function without(what: string, fields: RawBuilder<unknown>): Matching {
  if (what.startsWith('field.')) return noneOf(byRow(holdsField(what.slice('field.'.length), fields)));
  return nobodyHas.has(what) ? everything : byLexemes(lexeme(lexemeOf.without(what)));
}

function ofChoice(name: string, choice: string): Matching {
  if (name === 'state') return fact(choice);
  if (name === 'reason') return fact(choice.replace(' ', '_'));
  if (name !== 'is') return nothing;
  if (choice === 'public') return inRepository(sql`r.visibility = 'public'`);
  if (choice === 'private') return inRepository(sql`r.visibility <> 'public'`);
  if (choice === 'internal') return inRepository(sql`r.visibility = 'internal'`);
  // Pull requests aren't held yet: nothing is one, merged or not.
  return ['issue', 'open', 'closed', 'locked', 'unlocked'].includes(choice) ? fact(choice) : nothing;
}

function ofText(name: string, text: string): Matching {
  if (name === 'milestone') return byLexemes(lexeme(lexemeOf.milestone(text)));
  if (name === 'language') return inRepository(sql`lower(r.language) = lower(${findLanguage(text) ?? text})`);
  if (name === 'type' && text.toLowerCase() === 'issue') return fact('issue');
  return nothing;
}

/** `repo:` and `archived:` among alternatives; elsewhere the scope of the search answers them. */
function ofRepository({ name, value }: Qualifier): Matching {
  if (value.type === 'repository')
    return inRepository(
      sql`lower(r.name) = lower(${value.name}) and r.owner_id in (select id from accounts where lower(login) = lower(${value.owner}))`,
    );
  if (value.type === 'flag' && name === 'archived') return inRepository(sql`r.archived = ${value.on}`);
  return nothing;
}

/** By `is true`, this stays a test of rows, with hashed ids: a join for each of many qualifiers would be planned for seconds. */
const inRepository = (condition: RawBuilder<unknown>): Matching =>
  byRow(sql`(repository_id in (select r.id from repositories r where ${condition})) is true`);
