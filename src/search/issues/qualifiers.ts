import { type RawBuilder, sql } from 'kysely';
import { findLanguage } from '#search/languages/language.ts';
import { either, lexeme, lexemePrefix } from '#search/lexeme-query.ts';
import { findQualifier } from '#search/query/qualifiers.ts';
import type { Qualifier } from '#search/query/tree.ts';
import { holdsField, inField } from './fields.ts';
import { lexemeOf } from './lexemes.ts';
import { allOf, byLexemes, byRow, everything, type Matching, noneOf, nothing } from './matching.ts';
import type { People } from './people.ts';
import { hasReview, hasStatus, isAskedOf, isAskedOfTeam, isLinked, isReviewedBy, type Unreadable } from './pulls.ts';
import { isRelated, isRelatedTo, isRelatedToOpen, relationOf } from './relations.ts';

const fact = (name: string): Matching => byLexemes(lexeme(lexemeOf.fact(name)));

/** The context of qualifier conditions. */
export type QualifierContext = {
  people: People;
  /** The condition on the fields `f` that the caller may see. */
  fields: RawBuilder<unknown>;
  unreadable: Unreadable;
  /** Selects the repositories whose issues the caller may read. */
  readable: RawBuilder<unknown>;
  /** The condition on the teams `t` that the caller may see. */
  teams: RawBuilder<unknown>;
};

/** The condition of a qualifier. Qualifiers about data that Hearth doesn't have match nothing. */
export function qualifierMatching(qualifier: Qualifier, context: QualifierContext): Matching {
  const { people, fields, unreadable, readable, teams } = context;
  const { name, value } = qualifier;
  if (findQualifier('issues', name)?.later) return nothing;
  switch (value.type) {
    case 'login':
      if (value.login === '*') return noneOf(byLexemes(lexeme(lexemeOf.without(name))));
      return ofPerson(name, people.get(value.login), teams);
    case 'words':
      return byLexemes(either([...new Set(value.words)].map((word) => lexeme(lexemeOf.label(word)))));
    case 'team':
      if (name === 'team-review-requested') return ofPull(isAskedOfTeam(value, teams));
      return byLexemes(lexeme(lexemeOf.team(value.organization, value.slug)));
    case 'number':
      return byRow(inNumbers(numbers[name] ?? sql`null`, value));
    case 'date':
      return byRow(inDates(dates[name] ?? sql`null`, value));
    case 'hash':
      return byLexemes(lexemePrefix(lexemeOf.commit(value.prefix)));
    case 'choice':
      if (name === 'no') return lacking(value.choice, context);
      if (name === 'has') return noneOf(lacking(value.choice, context));
      if (name === 'linked') return ofLink(value.choice, unreadable);
      if (name === 'status') return ofPull(hasStatus(value.choice, unreadable));
      if (name === 'review') return ofReview(value.choice);
      if (name === 'is' && value.choice === 'blocked') return byRow(isRelatedToOpen('blocked-by', readable));
      if (name === 'is' && value.choice === 'blocking') return byRow(isRelatedToOpen('blocking', readable));
      return ofChoice(name, value.choice);
    case 'issue': {
      const relation = relationOf(name);
      return relation ? byRow(isRelatedTo(relation, value, readable)) : nothing;
    }
    case 'text':
      return name.startsWith('field.')
        ? byRow(inField(name.slice('field.'.length), value.text, fields))
        : ofText(name, value.text);
    default:
      return ofOthers(qualifier);
  }
}

type Person = NonNullable<ReturnType<People['get']>>;

/** A condition on pull requests that the index doesn't store. */
const ofPull = (condition: RawBuilder<unknown>): Matching => allOf([fact('pull'), byRow(condition)]);

/** Reviews are required for open pull requests only. */
const ofReview = (choice: string): Matching =>
  allOf([ofPull(hasReview(choice)), choice === 'required' ? fact('open') : everything]);

function ofPerson(name: string, person: Person | undefined, teams: RawBuilder<unknown>): Matching {
  if (!person) return nothing;
  const { id, login } = person;
  if (name === 'user' || name === 'org') return inRepository(sql`r.owner_id = ${id}`);
  if (name === 'reviewed-by') return ofPull(isReviewedBy(id));
  if (name === 'user-review-requested') return ofPull(isAskedOf(id));
  if (name === 'review-requested') return ofPull(isAskedOf(id, teams));
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
  merged: sql`merged_at`,
};

const inNumbers = (column: RawBuilder<unknown>, { min, max }: { min?: number; max?: number }): RawBuilder<unknown> =>
  sql`(${column} between ${min ?? 0}::bigint and ${max ?? Number.MAX_SAFE_INTEGER}::bigint)`;

function inDates(column: RawBuilder<unknown>, { from, until }: { from?: number; until?: number }): RawBuilder<unknown> {
  const low = from === undefined ? sql`${column} is not null` : sql`${column} >= ${new Date(from)}`;
  const high = until === undefined ? sql`true` : sql`${column} < ${new Date(until)}`;
  return sql`(${low} and ${high})`;
}

/** Values of `no:` and `has:` for data that Hearth doesn't have. */
const unsupported = new Set(['project', 'type']);

/** Issues without this attribute, without a value of this field, or without such a relation to another issue. */
function lacking(what: string, { fields, readable }: QualifierContext): Matching {
  if (what.startsWith('field.')) return noneOf(byRow(holdsField(what.slice('field.'.length), fields)));
  const relation = relationOf(what);
  if (relation) return noneOf(byRow(isRelated(relation, readable)));
  return unsupported.has(what) ? everything : byLexemes(lexeme(lexemeOf.without(what)));
}

function ofChoice(name: string, choice: string): Matching {
  if (name === 'state') return fact(choice);
  if (name === 'reason') return fact(choice.replace(' ', '_'));
  if (name !== 'is') return nothing;
  if (choice === 'public') return inRepository(sql`r.visibility = 'public'`);
  if (choice === 'private') return inRepository(sql`r.visibility <> 'public'`);
  if (choice === 'internal') return inRepository(sql`r.visibility = 'internal'`);
  if (pullWords.has(choice)) return fact('pull');
  return facts.has(choice) ? fact(choice) : nothing;
}

const facts = new Set(['issue', 'open', 'closed', 'merged', 'unmerged', 'draft', 'locked', 'unlocked']);
const pullWords = new Set(['pr', 'pull-request']);

/** Issues with a pull request that closes them, or pull requests that close an issue. */
const ofLink = (choice: string, unreadable: Unreadable): Matching =>
  allOf([fact(choice === 'pr' ? 'issue' : 'pull'), byRow(isLinked(choice, unreadable))]);

function ofText(name: string, text: string): Matching {
  if (name === 'milestone') return byLexemes(lexeme(lexemeOf.milestone(text)));
  if (name === 'language') return inRepository(sql`lower(r.language) = lower(${findLanguage(text) ?? text})`);
  if (name === 'head') return byLexemes(lexeme(lexemeOf.head(text)));
  if (name === 'base') return byLexemes(lexeme(lexemeOf.base(text)));
  if (name === 'type' && text.toLowerCase() === 'issue') return fact('issue');
  if (name === 'type' && pullWords.has(text.toLowerCase())) return fact('pull');
  return nothing;
}

/**
 * `draft:`, and `repo:` and `archived:` inside alternatives. Elsewhere, the scope of the search handles `repo:` and `archived:`.
 */
function ofOthers({ name, value }: Qualifier): Matching {
  if (value.type === 'repository')
    return inRepository(
      sql`lower(r.name) = lower(${value.name})
        and r.owner_id in (select id from accounts where lower(login) = lower(${value.owner}))`,
    );
  if (value.type === 'flag' && name === 'draft') return fact(value.on ? 'draft' : 'ready');
  if (value.type === 'flag' && name === 'archived') return inRepository(sql`r.archived = ${value.on}`);
  return nothing;
}

/**
 * `is true` keeps PostgreSQL from turning the hashed subquery into a join, whose planning would take seconds for many qualifiers.
 */
const inRepository = (condition: RawBuilder<unknown>): Matching =>
  byRow(sql`(repository_id in (select r.id from repositories r where ${condition})) is true`);
