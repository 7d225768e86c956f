import { type RawBuilder, sql } from 'kysely';
import type { Id } from '#lib/id.ts';
import { noreplyAddress } from '#lib/noreply.ts';
import { identifiersOf, lexemesOf } from '#search/analyse/analyse.ts';
import { both, either, type LexemeQuery, lexeme, lexemePrefix, never, not } from '#search/lexeme-query.ts';
import type { Filter } from '#search/query/filters.ts';
import { findQualifier } from '#search/query/qualifiers.ts';
import { leaves, type Node } from '#search/query/tree.ts';
import type { Value } from '#search/query/values.ts';
import type { Reader } from '#search/read.ts';
import { lexemesOfRow } from '#search/words-column.ts';
import { foldEmail } from './document.ts';
import { lexemeOf } from './lexemes.ts';

/** The conditions of qualifiers: lexemes if the index supports them, otherwise a condition on the row. */
type CommitFilter = { lexemes: LexemeQuery; condition: RawBuilder<unknown> };

/** The e-mail addresses of the accounts in a query, by their logins as spelled in the query. */
type Emails = ReadonlyMap<string, string[]>;

/** The viewer, and the host name of this server, which is part of noreply addresses. */
type EmailLookup = { viewerId?: Id<'accounts'> | undefined; host?: string | undefined };

/**
 * Looks up the verified e-mail addresses of the accounts that `author:` and `committer:` name, since commits have only addresses.
 */
export async function findEmails(db: Reader, query: Node, { viewerId, host }: EmailLookup): Promise<Emails> {
  const logins = [...leaves(query)].flatMap((leaf) =>
    leaf.kind === 'qualifier' && leaf.value.type === 'login' && /^(author|committer)$/.test(leaf.name) ? [leaf.value.login] : [],
  );
  if (logins.length === 0) return new Map();
  const { rows } = await sql<{ id: number; login: string; emails: string[] }>`
    select id, lower(login) as login, array(
      select email from email_addresses e where e.account_id = accounts.id and e.verified_at is not null order by e.id) as emails
    from accounts
    where kind <> 'organization' and (lower(login) = any(${logins.map((login) => login.toLowerCase())}::text[])
      or (id = ${viewerId ?? null} and ${logins.includes('@me')}))`.execute(db);
  const addresses = (login: string): string[] =>
    rows
      .filter((row) => (login === '@me' ? row.id === viewerId : row.login === login.toLowerCase()))
      .flatMap((row) => [...row.emails, ...(host === undefined ? [] : [noreplyAddress(row, host)])]);
  return new Map(logins.map((login) => [login, addresses(login)]));
}

/** The conditions of filters about commits. Values of one qualifier are alternatives if its specification says so. */
export function commitFilter(filters: readonly Filter[], emails: Emails): CommitFilter {
  const single = filters.map((filter) => ({ ...filter, ...qualifierCondition(filter.name, filter.value, emails) }));
  const alternatives = Map.groupBy(
    single.filter(({ negated, name }) => !negated && findQualifier('commits', name)?.repeated === 'any'),
    ({ name }) => name,
  );
  const others = single.filter((filter) => !alternatives.get(filter.name)?.includes(filter));
  return {
    lexemes: both([
      ...[...alternatives.values()].map((group) => either(group.map(({ lexemes }) => lexemes))),
      ...others.filter(({ kind }) => kind === 'lexemes').map(({ lexemes, negated }) => (negated ? not(lexemes) : lexemes)),
    ]),
    condition: allOf(
      others
        .filter(({ kind }) => kind === 'row')
        .map(({ condition, negated }) => (negated ? sql`not (${condition})` : condition)),
    ),
  };
}

const allOf = (conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> =>
  conditions.length > 0 ? sql`(${sql.join(conditions, sql` and `)})` : sql`true`;

type QualifierCondition = CommitFilter & { kind: 'lexemes' | 'row' };

const byLexemes = (lexemes: LexemeQuery): QualifierCondition => ({ kind: 'lexemes', lexemes, condition: sql`true` });
const byRow = (condition: RawBuilder<unknown>): QualifierCondition => ({ kind: 'row', lexemes: { kind: 'always' }, condition });

function qualifierCondition(name: string, value: Value, emails: Emails): QualifierCondition {
  switch (value.type) {
    case 'login':
      return byLexemes(either((emails.get(value.login) ?? []).map((email) => lexeme(emailLexeme(name)(foldEmail(email))))));
    case 'text':
      return byLexemes(name.endsWith('-email') ? lexeme(emailLexeme(name)(foldEmail(value.text))) : nameWords(name, value.text));
    case 'hash':
      return byLexemes(lexemePrefix(hashLexeme(name)(value.prefix)));
    case 'flag':
      return byRow(sql`merge = ${value.on}`);
    case 'date':
      return byRow(inRange(name === 'author-date' ? sql`author_date` : sql`committer_date`, value));
    default:
      return byLexemes(never);
  }
}

const emailLexeme = (name: string) => (name.startsWith('author') ? lexemeOf.authorEmail : lexemeOf.committerEmail);

function nameWords(name: string, text: string): LexemeQuery {
  const lexemeOfName = name.startsWith('author') ? lexemeOf.authorName : lexemeOf.committerName;
  const words = identifiersOf(text).flatMap((word) => lexemesOf(word).slice(0, 1));
  return words.length > 0 ? both(words.map((word) => lexeme(lexemeOfName(word)))) : never;
}

function hashLexeme(name: string): (oid: string) => string {
  if (name === 'parent') return lexemeOf.parent;
  return name === 'tree' ? lexemeOf.tree : lexemeOf.hash;
}

function inRange(column: RawBuilder<unknown>, { from, until }: { from?: number; until?: number }): RawBuilder<unknown> {
  const low = from === undefined ? sql`true` : sql`${column} >= ${new Date(from)}`;
  const high = until === undefined ? sql`true` : sql`${column} < ${new Date(until)}`;
  return sql`(${low} and ${high})`;
}

type People = { emails: Emails; viewerId: Id<'accounts'> | undefined };

/** A combination of qualifiers, without terms, as a condition on the row. */
export function combination(node: Node, people: People): RawBuilder<unknown> {
  switch (node.kind) {
    case 'not':
      return sql`not (${combination(node.part, people)})`;
    case 'all':
      return allOf(node.parts.map((part) => combination(part, people)));
    case 'any':
      return sql`(${sql.join(
        node.parts.map((part) => combination(part, people)),
        sql` or `,
      )})`;
    case 'text':
      return sql`true`;
    case 'qualifier': {
      const repository = repositoryCondition(node.name, node.value, people.viewerId);
      if (repository)
        return sql`exists (select from repositories r join accounts o on o.id = r.owner_id
          where r.id = repository_id and ${repository})`;
      const { lexemes, condition } = qualifierCondition(node.name, node.value, people.emails);
      if (lexemes.kind === 'query') return sql`(${lexemesOfRow} @@ ${lexemes.text}::tsquery)`;
      return lexemes.kind === 'never' ? sql`false` : condition;
    }
  }
}

function repositoryCondition(name: string, value: Value, viewerId: number | undefined): RawBuilder<unknown> | undefined {
  if (value.type === 'repository') return sql`lower(o.login) = lower(${value.owner}) and lower(r.name) = lower(${value.name})`;
  if (value.type === 'login' && (name === 'user' || name === 'org'))
    return value.login === '@me' ? sql`o.id = ${viewerId ?? null}` : sql`lower(o.login) = lower(${value.login})`;
  if (value.type === 'choice')
    return value.choice === 'private' ? sql`r.visibility <> 'public'` : sql`r.visibility = ${value.choice}`;
  return undefined;
}
