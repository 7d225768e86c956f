import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import type { GitStore } from '#git/repo.ts';
import { makeCheck } from '#search/check.ts';
import { both } from '#search/lexeme-query.ts';
import { filterWithinBudget } from '#search/look-through.ts';
import { type Filter, split } from '#search/query/filters.ts';
import type { Node } from '#search/query/tree.ts';
import { planForWords, type Reader, runWithinBudget } from '#search/read.ts';
import { atLeast, maxResults, type SearchRequest, type SearchResult, withinResults } from '#search/result.ts';
import { isScopeFilter, resolveScope } from '#search/scope/scope.ts';
import { hasPhrase, lexemesFor, type Terms } from '#search/terms.ts';
import { bonusesOf } from './bonuses.ts';
import { fileFilter, searchedFieldsOf } from './filters.ts';
import * as hits from './hits.ts';
import { mayContainPhrases } from './phrases.ts';
import { readBatches } from './read-texts.ts';
import { type CacheKey, cacheKeyOf, resultCache, type Selected } from './result-cache.ts';
import { inFields, requireTerms, type SearchedFields } from './terms.ts';

type CodeSearch = SearchRequest & {
  /** The result of `parse('code', q)`. */
  query: Node;
  sort?: 'indexed';
  order?: 'asc' | 'desc';
};

type SearchContext = { request: CodeSearch; terms: Terms; searchedFields: SearchedFields; filters: readonly Filter[] };
type Slice = { limit: number; offset: number };
type Stores = { db: Db; git: GitStore };

/**
 * Searches the code of the default branches of the repositories that the caller may see (document 1). When the budget ends, it
 * returns the results so far, with `incomplete_results`. @throws QueryError for a query without a term, or one that only names
 * repositories that the caller can't access
 */
export async function searchCode(stores: Stores, request: CodeSearch): Promise<SearchResult<hits.CodeHit>> {
  const slice = withinResults(request.page);
  const { terms: text, filters } = split(request.query);
  const context: SearchContext = { request, terms: requireTerms(text), searchedFields: searchedFieldsOf(filters), filters };
  return hasPhrase(context.terms) ? findChecked(stores, context, slice) : findIndexed(stores.db, context, slice);
}

/** Milliseconds for finding any hits after the budget has ended. */
const fallbackMs = 100;

/** Hits of a query that needs no checks. When the budget ends, any hits, unordered. */
async function findIndexed(db: Db, context: SearchContext, slice: Slice): Promise<SearchResult<hits.CodeHit>> {
  const ordered = await runWithinBudget(db, context.request.budget, async (tx) => {
    const selected = await select(tx, context);
    if (!selected) return { items: [], total_count: 0, incomplete_results: false };
    const items = await listOrdered(tx, selected.where, context, slice);
    // If the first page isn't full, it has all hits.
    const isAll = slice.offset === 0 && items.length < slice.limit;
    const total_count = isAll ? items.length : await totalOf({ db, tx }, selected);
    return { items, total_count, incomplete_results: selected.isPartial };
  });
  if (ordered) return ordered;
  const some = await findAny(db, context, slice);
  return { items: some, total_count: slice.offset + some.length, incomplete_results: true };
}

async function findAny(db: Db, context: SearchContext, slice: Slice): Promise<hits.CodeHit[]> {
  const some = await runWithinBudget(db, atLeast(context.request.budget, fallbackMs), async (tx) => {
    const selected = await select(tx, context);
    return selected && hits.listAnyHits(tx, selected.where, slice);
  });
  return some ?? [];
}

/** The condition of the search; undefined if it covers no repositories. */
async function select(tx: Reader, { request, terms, searchedFields, filters }: SearchContext): Promise<Selected | undefined> {
  const { ids: repositories, isPartial } = await resolveScope(tx, { ...request, filters, forks: false });
  if (repositories.length === 0) return undefined;
  planForWords();
  const files = fileFilter(filters.filter((filter) => !isScopeFilter(filter)));
  const lexemes = both([lexemesFor(terms, inFields(searchedFields)), files.lexemes]);
  return { where: await hits.whereOf(tx, { lexemes, condition: files.condition, repositories }), repositories, isPartial };
}

async function listOrdered(
  tx: Reader,
  where: hits.Where,
  { request, terms, searchedFields }: SearchContext,
  slice: Slice,
): Promise<hits.CodeHit[]> {
  const { limit, offset } = slice;
  if (request.sort === 'indexed') return hits.listHitsByTime(tx, where, { limit, offset, order: request.order ?? 'desc' });
  const bonuses = bonusesOf(terms, searchedFields);
  const strong = await hits.listStrongHits(tx, where, bonuses, slice);
  if (strong.hits.length === limit) return strong.hits;
  const rest = { limit: limit - strong.hits.length, offset: Math.max(0, offset - strong.total) };
  return [...strong.hits, ...(await hits.listWeakHits(tx, where, bonuses, rest))];
}

/** Totals are cached, since each page needs them and common words are searched often. */
const totals = resultCache<number>({ maxSize: 10_000, sizeOf: () => 1 });

async function totalOf(stores: { db: Db; tx: Reader }, selected: Selected): Promise<number> {
  const cacheKey = await cacheKeyOf(stores, selected);
  const total = totals.get(stores.db, cacheKey) ?? (await hits.countHits(stores.tx, selected.where));
  totals.set(stores.db, cacheKey, total);
  return total;
}

/** The matching files, best first. Incomplete if there are more candidates, or if the budget ended. */
type Checked = { matching: hits.CodeHit[]; isComplete: boolean };

/** Results of checks are cached, so that the next page doesn't check a thousand files again. */
const checkedCache = resultCache<Checked>({ maxSize: 100_000, sizeOf: ({ matching }) => matching.length + 1 });

/** Checks the texts of candidates from the index, best first, until the budget ends. */
async function findChecked(stores: Stores, context: SearchContext, slice: Slice): Promise<SearchResult<hits.CodeHit>> {
  const found = await findCandidates(stores.db, context);
  const { matching, isComplete } = 'checked' in found ? found.checked : await check(stores, context, found);
  return {
    items: matching.slice(slice.offset, slice.offset + slice.limit),
    total_count: matching.length,
    incomplete_results: !isComplete,
  };
}

type Candidates = { items: hits.CodeHit[]; isPartial: boolean; cacheKey?: CacheKey };

/** The best candidates from the index, or the cached result of their check. */
async function findCandidates(db: Db, context: SearchContext): Promise<Candidates | { checked: Checked }> {
  const { request, terms, searchedFields } = context;
  const condition = mayContainPhrases(terms, searchedFields) ?? sql`true`;
  const order = request.sort && (request.order ?? 'desc');
  const found = await runWithinBudget(db, context.request.budget, async (tx) => {
    const selected = await select(tx, context);
    if (!selected) return { items: [], isPartial: false };
    const cacheKey = await cacheKeyOf({ db, tx }, selected, terms, searchedFields, order);
    const checked = checkedCache.get(db, cacheKey);
    if (checked) return { checked };
    const bonuses = bonusesOf(terms, searchedFields);
    const items = await hits.listCandidates(tx, selected.where, { bonuses, condition, order, limit: maxResults + 1 });
    return { items: items.slice(0, maxResults), isPartial: selected.isPartial || items.length > maxResults, cacheKey };
  });
  return found ?? { items: await findAny(db, context, { limit: maxResults, offset: 0 }), isPartial: true };
}

async function check({ db, git }: Stores, context: SearchContext, { items, isPartial, cacheKey }: Candidates): Promise<Checked> {
  const { terms, searchedFields } = context;
  const matches = makeCheck(terms);
  const budget = atLeast(context.request.budget, fallbackMs);
  const matching: hits.CodeHit[] = [];
  let checkedFiles = 0;
  for await (const { files, texts } of readBatches(git, items, searchedFields)) {
    const found = await filterWithinBudget(files, budget, ({ path, blobOid }) =>
      matches([texts.get(blobOid) ?? '', ...(searchedFields.path ? [path] : [])]),
    );
    matching.push(...found.matching);
    checkedFiles += found.checked;
    if (found.checked < files.length) break;
  }
  const checked = { matching, isComplete: !isPartial && checkedFiles === items.length };
  if (cacheKey && checkedFiles === items.length) checkedCache.set(db, cacheKey, checked);
  return checked;
}
