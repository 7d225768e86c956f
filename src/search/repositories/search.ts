import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { makeCheck } from '#search/check.ts';
import { both, either, type LexemeQuery, lexeme } from '#search/lexeme-query.ts';
import { lookThrough } from '#search/look-through.ts';
import { QueryError } from '#search/query/errors.ts';
import { filtersIn, split } from '#search/query/filters.ts';
import type { RepositorySort } from '#search/query/sorts.ts';
import type { Node } from '#search/query/tree.ts';
import { planForWords, type Reader, within } from '#search/read.ts';
import { maxResults, type SearchRequest, type SearchResult, withinResults } from '#search/result.ts';
import { inScope, isNaming, isScopeFilter, requireAccessible } from '#search/scope/scope.ts';
import { analyseTree, hasPhrase, lexemesFor, type Terms } from '#search/terms.ts';
import { lexemesIn } from '#search/words-column.ts';
import { combination, openIssuesLabelled, placesOf, repositoryFilter } from './filters.ts';
import { lexemeOf, type TextField } from './lexemes.ts';

export type RepositorySearch = SearchRequest & {
  /** From `parse('repositories', q)`. */
  query: Node;
  sort?: RepositorySort | undefined;
  order?: 'asc' | 'desc';
};

/** A repository that matched, with the texts that it was matched by. */
export type RepositoryHit = { repositoryId: Id<'repositories'>; score: number; name: string; description: string | null };

type Row = RepositoryHit & { topics: string[]; readme: string };
type Look = { asked: RepositorySearch; terms: Terms | undefined; places: readonly TextField[] };
type Slice = { limit: number; offset: number };

/**
 * Searches the repositories that the caller may see, under the rules of document 1 for searches. Forks are left out unless
 * `fork:` asks for them. Qualifiers alone are a valid query.
 */
export async function searchRepositories(db: Db, asked: RepositorySearch): Promise<SearchResult<RepositoryHit>> {
  const { terms: text, filters, rest } = split(asked.query);
  const terms = text && analyseTree(text);
  if (!terms && rest.length === 0 && filters.every(({ name }) => name === 'in'))
    throw new QueryError('no_term', 'A repository search needs a word or a qualifier.');
  const look: Look = { asked, terms, places: placesOf(filters) };
  const slice = withinResults(asked.page);
  return terms && hasPhrase(terms) ? findChecked(db, look, terms, slice) : find(db, look, slice);
}

/** Candidates from the index, then a look at what each of them says, for as long as there is time. */
async function findChecked(db: Db, look: Look, terms: Terms, slice: Slice): Promise<SearchResult<Row>> {
  const { items, incomplete_results, total_count } = await find(db, look, { limit: maxResults, offset: 0 });
  const check = makeCheck(terms);
  const texts: Record<TextField, (row: Row) => string> = {
    name: ({ name }) => name,
    description: ({ description }) => description ?? '',
    topics: ({ topics }) => topics.join('\n'),
    readme: ({ readme }) => readme,
  };
  const { matching, looked } = await lookThrough(items, look.asked.budget, (row) =>
    check(look.places.map((place) => texts[place](row))),
  );
  return {
    items: matching.slice(slice.offset, slice.offset + slice.limit),
    total_count: matching.length,
    incomplete_results: incomplete_results || looked < total_count,
  };
}

async function find(db: Db, look: Look, slice: Slice): Promise<SearchResult<Row>> {
  const found = await within(db, look.asked.budget, async (tx) => {
    await planForWords(tx);
    const where = whereOf(look);
    const items = await listRows(tx, look, where, slice);
    if (items.length === 0) await requireAccessible(tx, scopeOf(look));
    const isAll = slice.offset === 0 && items.length < slice.limit;
    return { items, total_count: isAll ? items.length : await countRows(tx, look, where) };
  });
  return found ? { ...found, incomplete_results: false } : { items: [], total_count: 0, incomplete_results: true };
}

function scopeOf({ asked }: Look) {
  const { filters, rest } = split(asked.query);
  return { ...asked, filters, nested: rest.flatMap((part) => filtersIn(part, isNaming)), forks: false };
}

/**
 * The tables of a search, by the names that its conditions use: the repository `r`, its owner `o` and its words `w`. If there are
 * words to look for, `w` is an inner join, since PostgreSQL wouldn't use its index in an outer one.
 */
const tables = ({ asked, terms }: Look): RawBuilder<unknown> => sql`repositories r join accounts o on o.id = r.owner_id
  ${terms ? sql`join` : sql`left join`} repository_words w on w.repository_id = r.id where r.id in ${asked.visible}`;
const lexemesOfRow = lexemesIn('w.words');

function whereOf(look: Look): RawBuilder<unknown> {
  const { filters, rest } = split(look.asked.query);
  const own = repositoryFilter(
    filters.filter((filter) => !isScopeFilter(filter)),
    look.asked,
  );
  const combined = rest.length > 0 ? combination({ kind: 'all', parts: [...rest] }, look.asked) : sql`true`;
  const words = look.terms ? has(lexemesFor(look.terms, inPlaces(look.places))) : sql`true`;
  return sql`${inScope(scopeOf(look))} and ${own} and ${combined} and ${words}`;
}

/** Every word of a term in one place or another; a phrase in one. */
const inPlaces =
  (places: readonly TextField[]) =>
  (terms: readonly { lexemes: string[] }[]): LexemeQuery =>
    either(places.map((place) => both(terms.flatMap(({ lexemes }) => lexemes).map((word) => lexeme(lexemeOf[place](word))))));

function has(query: LexemeQuery): RawBuilder<unknown> {
  if (query.kind === 'query') return sql`${lexemesOfRow} @@ ${query.text}::tsquery`;
  return query.kind === 'always' ? sql`true` : sql`false`;
}

/** The weight of a word in each place. Stars decide between equals. */
const weights: Record<TextField, number> = { name: 8, topics: 4, description: 2, readme: 1 };

/** Best match: where the words stand, and how many people keep a star on it. */
function scoreOf({ terms, places }: Look): RawBuilder<unknown> {
  const stars = sql`ln(1 + r.stargazers_count)`;
  if (!terms) return sql`(1 + ${stars})::float8`;
  const parts = places.map(
    (place) => sql`case when ${has(lexemesFor(terms, inPlaces([place])))} then ${sql.lit(weights[place])} else 0 end`,
  );
  return sql`(1 + ${sql.join(parts, sql` + `)} + ${stars})::float8`;
}

const sorts: Record<RepositorySort, RawBuilder<unknown>> = {
  stars: sql`r.stargazers_count`,
  forks: sql`r.forks_count`,
  'help-wanted-issues': openIssuesLabelled('help wanted'),
  updated: sql`greatest(r.updated_at, r.pushed_at)`,
};

async function listRows(tx: Reader, look: Look, where: RawBuilder<unknown>, slice: Slice): Promise<Row[]> {
  const { sort, order = 'desc' } = look.asked;
  const direction = order === 'asc' ? sql`asc` : sql`desc`;
  const by = sort ? sql`${sorts[sort]} ${direction}, r.id ${direction}` : sql`score desc, r.pushed_at desc nulls last, r.id desc`;
  const readme = look.places.includes('readme') ? sql`coalesce(w.readme, '')` : sql`''`;
  const { rows } = await sql<Row>`
    select r.id as "repositoryId", r.name, r.description, r.topics, ${readme} as readme, ${scoreOf(look)} as score
    from ${tables(look)} and ${where} order by ${by} limit ${slice.limit} offset ${slice.offset}`.execute(tx);
  return rows;
}

async function countRows(tx: Reader, look: Look, where: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ total: number }>`select count(*) as total from ${tables(look)} and ${where}`.execute(tx);
  return rows[0]?.total ?? 0;
}
