import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { combination, filterCondition } from '#search/conditions.ts';
import { fieldWeights, hasWords } from '#search/field-words.ts';
import { findPhrases, type Slice } from '#search/phrase-check.ts';
import { QueryError } from '#search/query/errors.ts';
import { filtersIn, split } from '#search/query/filters.ts';
import type { RepositorySort } from '#search/query/sorts.ts';
import type { Node } from '#search/query/tree.ts';
import { planForWords, type Reader, runWithinBudget } from '#search/read.ts';
import { type SearchRequest, type SearchResult, withinResults } from '#search/result.ts';
import { inScope, isNaming, isScopeFilter, requireAccessible } from '#search/scope/scope.ts';
import { analyseTree, hasPhrase, type Terms } from '#search/terms.ts';
import { openIssuesLabelled, repositoryCondition, searchedFieldsOf } from './filters.ts';
import { lexemeOf, type TextField } from './lexemes.ts';

type RepositorySearch = SearchRequest & {
  /** The result of `parse('repositories', q)`. */
  query: Node;
  sort?: RepositorySort | undefined;
  order?: 'asc' | 'desc';
};

/** A matching repository, with the texts for text matches. */
export type RepositoryHit = { repositoryId: Id<'repositories'>; score: number; name: string; description: string | null };

type Row = RepositoryHit & { topics: string[]; readme: string };
type SearchContext = { request: RepositorySearch; terms: Terms | undefined; searchedFields: readonly TextField[] };

/**
 * Searches the repositories that the caller may see, by the rules of document 1 for searches. Forks are excluded without `fork:`.
 * A query may consist of qualifiers only.
 */
export async function searchRepositories(db: Db, request: RepositorySearch): Promise<SearchResult<RepositoryHit>> {
  const { terms: text, filters, rest } = split(request.query);
  const terms = text && analyseTree(text);
  if (!terms && rest.length === 0 && filters.every(({ name }) => name === 'in'))
    throw new QueryError('no_term', 'A repository search needs a word or a qualifier.');
  const context: SearchContext = { request, terms, searchedFields: searchedFieldsOf(filters) };
  const slice = withinResults(request.page);
  const find = (part: Slice) => findIndexed(db, context, part);
  const textsOf = (row: Row) => context.searchedFields.map((field) => texts[field](row));
  return terms && hasPhrase(terms) ? findPhrases({ terms, budget: request.budget, slice, find, textsOf }) : find(slice);
}

const texts: Record<TextField, (row: Row) => string> = {
  name: ({ name }) => name,
  description: ({ description }) => description ?? '',
  topics: ({ topics }) => topics.join('\n'),
  readme: ({ readme }) => readme,
};

async function findIndexed(db: Db, context: SearchContext, slice: Slice): Promise<SearchResult<Row>> {
  const found = await runWithinBudget(db, context.request.budget, async (tx) => {
    planForWords();
    const where = whereOf(context);
    const items = await listRows(tx, context, where, slice);
    await requireAccessible(tx, scopeOf(context), { hasHits: items.length > 0 });
    const isAll = slice.offset === 0 && items.length < slice.limit;
    return { items, total_count: isAll ? items.length : await countRows(tx, context, where) };
  });
  return found ? { ...found, incomplete_results: false } : { items: [], total_count: 0, incomplete_results: true };
}

function scopeOf({ request }: Pick<SearchContext, 'request'>) {
  const { filters, rest } = split(request.query);
  return { ...request, filters, nested: rest.flatMap((part) => filtersIn(part, isNaming)), forks: false };
}

/** The tables of a search with their aliases: the repository `r`, its owner `o` and its words `w`. */
const tables = ({ request, terms }: SearchContext): RawBuilder<unknown> => sql`repositories r join accounts o on o.id = r.owner_id
  ${terms ? sql`join` : sql`left join`} repository_words w on w.repository_id = r.id where r.id in ${request.visible}`;

function whereOf({ request, terms, searchedFields }: SearchContext): RawBuilder<unknown> {
  const { filters, rest } = split(request.query);
  const conditionOf = repositoryCondition(request);
  const notInScope = filters.filter((filter) => !isScopeFilter(filter));
  const combined = combination({ kind: 'all', parts: [...rest] }, conditionOf);
  const words = terms ? wordsFoundFirst(terms, searchedFields) : sql`true`;
  return sql`${inScope(scopeOf({ request }))} and ${filterCondition('repositories', notInScope, conditionOf)}
    and ${combined} and ${words}`;
}

/**
 * Repositories that have all terms, found in the index first. PostgreSQL doesn't know the cost of comparing words, and would
 * compare them for each repository of an owner.
 */
const wordsFoundFirst = (terms: Terms, fields: readonly TextField[]): RawBuilder<unknown> =>
  sql`r.id = any (array(select w.repository_id from repository_words w where ${hasWords(terms, lexemeOf, fields)}))`;

/** The weight of a word in each field. Stars order hits with the same weight. */
const weights: Record<TextField, number> = { name: 8, topics: 4, description: 2, readme: 1 };

/** The score of a hit: the weights of the fields with words, and its stars. */
function scoreOf({ terms, searchedFields }: SearchContext): RawBuilder<unknown> {
  const stars = sql`ln(1 + r.stargazers_count)`;
  if (!terms) return sql`(1 + ${stars})::float8`;
  const weight = fieldWeights(searchedFields, weights, (field) => hasWords(terms, lexemeOf, [field]));
  return sql`(1 + ${weight} + ${stars})::float8`;
}

const sorts: Record<RepositorySort, RawBuilder<unknown>> = {
  stars: sql`r.stargazers_count`,
  forks: sql`r.forks_count`,
  'help-wanted-issues': openIssuesLabelled('help wanted'),
  updated: sql`greatest(r.updated_at, r.pushed_at)`,
};

async function listRows(tx: Reader, context: SearchContext, where: RawBuilder<unknown>, slice: Slice): Promise<Row[]> {
  const { sort, order = 'desc' } = context.request;
  const direction = order === 'asc' ? sql`asc` : sql`desc`;
  const by = sort ? sql`${sorts[sort]} ${direction}, r.id ${direction}` : sql`score desc, r.pushed_at desc nulls last, r.id desc`;
  const readme = context.searchedFields.includes('readme') ? sql`coalesce(w.readme, '')` : sql`''`;
  const { rows } = await sql<Row>`
    select r.id as "repositoryId", r.name, r.description, r.topics, ${readme} as readme, ${scoreOf(context)} as score
    from ${tables(context)} and ${where} order by ${by} limit ${slice.limit} offset ${slice.offset}`.execute(tx);
  return rows;
}

async function countRows(tx: Reader, context: SearchContext, where: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ total: number }>`select count(*) as total from ${tables(context)} and ${where}`.execute(tx);
  return rows[0]?.total ?? 0;
}
