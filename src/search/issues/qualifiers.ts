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

/** What the conditions of qualifiers depend on. */
export type QualifierContext = {
  people: People;
  /** The condition on the fields `f` that the caller may see. */
  fields: RawBuilder<unknown>;
};

/** The condition of a qualifier. Qualifiers about data that Hearth doesn't have match nothing. */
export function qualifierMatching(qualifier: Qualifier, { people, fields }: QualifierContext): Matching {
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
      if (name === 'no') return lacking(value.choice, fields);
      if (name === 'has') return noneOf(lacking(value.choice, fields));
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

/** Values of `no:` and `has:` for data that Hearth doesn't have. */
const unsupported = new Set(['project', 'type', 'parent-issue', 'sub-issues', 'blocked-by', 'blocking']);

/** Issues without this attribute, or without a value of this field. */
function lacking(what: string, fields: RawBuilder<unknown>): Matching {
  if (what.startsWith('field.')) return noneOf(byRow(holdsField(what.slice('field.'.length), fields)));
  return unsupported.has(what) ? everything : byLexemes(lexeme(lexemeOf.without(what)));
}

function ofChoice(name: string, choice: string): Matching {
  if (name === 'state') return fact(choice);
  if (name === 'reason') return fact(choice.replace(' ', '_'));
  if (name !== 'is') return nothing;
  if (choice === 'public') return inRepository(sql`r.visibility = 'public'`);
  if (choice === 'private') return inRepository(sql`r.visibility <> 'public'`);
  if (choice === 'internal') return inRepository(sql`r.visibility = 'internal'`);
  // Hearth has no pull requests yet, so that nothing matches.
  return ['issue', 'open', 'closed', 'locked', 'unlocked'].includes(choice) ? fact(choice) : nothing;
}

function ofText(name: string, text: string): Matching {
  if (name === 'milestone') return byLexemes(lexeme(lexemeOf.milestone(text)));
  if (name === 'language') return inRepository(sql`lower(r.language) = lower(${findLanguage(text) ?? text})`);
  if (name === 'type' && text.toLowerCase() === 'issue') return fact('issue');
  return nothing;
}

/** `repo:` and `archived:` inside of alternatives. Elsewhere the scope of the search handles them. */
function ofRepository({ name, value }: Qualifier): Matching {
  if (value.type === 'repository')
    return inRepository(
      sql`lower(r.name) = lower(${value.name}) and r.owner_id in (select id from accounts where lower(login) = lower(${value.owner}))`,
    );
  if (value.type === 'flag' && name === 'archived') return inRepository(sql`r.archived = ${value.on}`);
  return nothing;
}

/**
 * `is true` keeps PostgreSQL from turning the hashed subquery into a join, whose planning would take seconds for many qualifiers.
 */
const inRepository = (condition: RawBuilder<unknown>): Matching =>
  byRow(sql`(repository_id in (select r.id from repositories r where ${condition})) is true`);
