import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { combination } from '#search/conditions.ts';
import { fieldWeights, hasWords } from '#search/field-words.ts';
import { findPhrases, type Slice } from '#search/phrase-check.ts';
import { QueryError } from '#search/query/errors.ts';
import { split } from '#search/query/filters.ts';
import type { UserSort } from '#search/query/sorts.ts';
import type { Node } from '#search/query/tree.ts';
import { planForWords, type Reader, runWithinBudget } from '#search/read.ts';
import { type SearchRequest, type SearchResult, withinResults } from '#search/result.ts';
import { analyseTree, hasPhrase, type Terms } from '#search/terms.ts';
import { publicRepositories, searchedFieldsOf, userCondition, usersCondition } from './filters.ts';
import { lexemeOf, type TextField } from './lexemes.ts';

type UserSearch = Omit<SearchRequest, 'visible'> & {
  /** The result of `parse('users', q)`. */
  query: Node;
  sort?: UserSort | undefined;
  order?: 'asc' | 'desc';
  /** Whether the viewer may see addresses in profiles. Otherwise searches by address don't find accounts either. */
  seesEmails: boolean;
};

/** A matching user or organization, with the texts for text matches. */
export type UserHit = { accountId: Id<'accounts'>; score: number } & Readonly<Record<TextField, string | null>>;

type SearchContext = { request: UserSearch; terms: Terms | undefined; searchedFields: readonly TextField[] };

/** Searches users and organizations, which everybody may see. A query may consist of qualifiers only. */
export async function searchUsers(db: Db, request: UserSearch): Promise<SearchResult<UserHit>> {
  const { terms: text, filters, rest } = split(request.query);
  const terms = text && analyseTree(text);
  if (!terms && rest.length === 0 && filters.every(({ name }) => name === 'in'))
    throw new QueryError('no_term', 'A user search needs a word or a qualifier.');
  const context: SearchContext = { request, terms, searchedFields: searchedFieldsOf(filters, request) };
  const slice = withinResults(request.page);
  const find = (part: Slice) => findIndexed(db, context, part);
  const textsOf = (row: UserHit) => context.searchedFields.map((field) => row[field] ?? '');
  return terms && hasPhrase(terms) ? findPhrases({ terms, budget: request.budget, slice, find, textsOf }) : find(slice);
}

async function findIndexed(db: Db, context: SearchContext, slice: Slice): Promise<SearchResult<UserHit>> {
  const found = await runWithinBudget(db, context.request.budget, async (tx) => {
    planForWords();
    const where = whereOf(context);
    const items = await listRows(tx, context, where, slice);
    const isAll = slice.offset === 0 && items.length < slice.limit;
    return { items, total_count: isAll ? items.length : await countRows(tx, where) };
  });
  return found ? { ...found, incomplete_results: false } : { items: [], total_count: 0, incomplete_results: true };
}

const tables = sql`accounts a join account_words w on w.account_id = a.id where a.kind in ('user', 'organization')`;

function whereOf({ request, terms, searchedFields }: SearchContext): RawBuilder<unknown> {
  const { filters, rest } = split(request.query);
  const combined = combination({ kind: 'all', parts: [...rest] }, userCondition(request));
  const words = terms ? hasWords(terms, lexemeOf, searchedFields) : sql`true`;
  return sql`${usersCondition(filters, request)} and ${combined} and ${words}`;
}

/** The weight of a word in each field, and of a query that equals the login. */
const weights: Record<TextField, number> = { login: 8, name: 4, email: 1 };
const wholeLogin = 16;

function scoreOf({ request, terms, searchedFields }: SearchContext): RawBuilder<unknown> {
  if (!terms) return sql`1::float8`;
  const { terms: text } = split(request.query);
  const login = text?.kind === 'text' && searchedFields.includes('login') ? text.text : '';
  // The index is used once for each field. Reading the words of every hit would take longer than finding it.
  const weight = fieldWeights(
    searchedFields,
    weights,
    (field) => sql`a.id in (select w.account_id from account_words w where ${hasWords(terms, lexemeOf, [field])})`,
  );
  return sql`(1 + ${weight}
    + case when lower(a.login) = lower(${login}) then ${sql.lit(wholeLogin)} else 0 end)::float8`;
}

/** Hearth has no followers yet. All accounts have the same number, and the best match decides. */
const sorts: Record<Exclude<UserSort, 'followers'>, RawBuilder<unknown>> = {
  repositories: publicRepositories,
  joined: sql`a.created_at`,
};

async function listRows(tx: Reader, context: SearchContext, where: RawBuilder<unknown>, slice: Slice): Promise<UserHit[]> {
  const { sort, order = 'desc' } = context.request;
  const direction = order === 'asc' ? sql`asc` : sql`desc`;
  const by = sort && sort !== 'followers' ? sql`${sorts[sort]} ${direction}, a.id ${direction}` : sql`score desc, a.id`;
  const { rows } = await sql<UserHit>`
    select a.id as "accountId", a.login, a.name, a.email, ${scoreOf(context)} as score
    from ${tables} and ${where} order by ${by} limit ${slice.limit} offset ${slice.offset}`.execute(tx);
  return rows;
}

async function countRows(tx: Reader, where: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ total: number }>`select count(*) as total from ${tables} and ${where}`.execute(tx);
  return rows[0]?.total ?? 0;
}
