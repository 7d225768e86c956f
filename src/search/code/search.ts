import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import type { GitStore } from '#git/repo.ts';
import { makeCheck } from '#search/check.ts';
import { both } from '#search/lexeme-query.ts';
import { lookThrough } from '#search/look-through.ts';
import { type Filter, split } from '#search/query/filters.ts';
import type { Node } from '#search/query/tree.ts';
import { type Reader, within } from '#search/read.ts';
import { atLeast, maxResults, type SearchRequest, type SearchResult, withinResults } from '#search/result.ts';
import { isScopeFilter, resolveScope } from '#search/scope/scope.ts';
import { hasPhrase, lexemesFor, type Terms } from '#search/terms.ts';
import { bonusesOf } from './bonuses.ts';
import { fileFilter, placesOf } from './filters.ts';
import * as hits from './hits.ts';
import { mayHold } from './phrases.ts';
import { readPortions } from './read-texts.ts';
import { type CacheKey, cacheKeyOf, resultCache, type Selected } from './result-cache.ts';
import { inPlaces, type Places, requireTerms } from './terms.ts';

export type CodeSearch = SearchRequest & {
  /** From `parse('code', q)`. */
  query: Node;
  sort?: 'indexed';
  order?: 'asc' | 'desc';
};

type Look = { asked: CodeSearch; terms: Terms; places: Places; filters: readonly Filter[] };
type Slice = { limit: number; offset: number };
type Stores = { db: Db; git: GitStore };

/**
 * Searches the default branches of the repositories that the caller may see (document 1). Only these are counted. When the
 * budget ends, what was found until then is given, and `incomplete_results` says so. Throws `QueryError` for a query without
 * a term, and for one that names nothing but what the caller can't access.
 */
export async function searchCode(at: Stores, asked: CodeSearch): Promise<SearchResult<hits.CodeHit>> {
  const slice = withinResults(asked.page);
  const { terms: text, filters } = split(asked.query);
  const look: Look = { asked, terms: requireTerms(text), places: placesOf(filters), filters };
  return hasPhrase(look.terms) ? findChecked(at, look, slice) : findIndexed(at.db, look, slice);
}

/** Milliseconds for the hits that are given when the budget is over. */
const lastResort = 100;

/** What the index alone can tell. Without time for the right order, some hits in no order. */
async function findIndexed(db: Db, look: Look, slice: Slice): Promise<SearchResult<hits.CodeHit>> {
  const ordered = await within(db, look.asked.budget, async (tx) => {
    const selected = await select(tx, look);
    if (!selected) return { items: [], total_count: 0 };
    const items = await listOrdered(tx, selected.where, look, slice);
    // A first page that isn't full tells the total.
    const isAll = slice.offset === 0 && items.length < slice.limit;
    return { items, total_count: isAll ? items.length : await totalOf({ db, tx }, selected) };
  });
  if (ordered) return { ...ordered, incomplete_results: false };
  const some = await findAny(db, look, slice);
  return { items: some, total_count: slice.offset + some.length, incomplete_results: true };
}

async function findAny(db: Db, look: Look, slice: Slice): Promise<hits.CodeHit[]> {
  const some = await within(db, atLeast(look.asked.budget, lastResort), async (tx) => {
    const selected = await select(tx, look);
    return selected && hits.listAnyHits(tx, selected.where, slice);
  });
  return some ?? [];
}

/** Which rows match; undefined when there is no repository to look into. */
async function select(tx: Reader, { asked, terms, places, filters }: Look): Promise<Selected | undefined> {
  const { ids: repositories } = await resolveScope(tx, { ...asked, filters, forks: false });
  if (repositories.length === 0) return undefined;
  const files = fileFilter(filters.filter((filter) => !isScopeFilter(filter)));
  const lexemes = both([lexemesFor(terms, inPlaces(places)), files.lexemes]);
  return { where: await hits.whereOf(tx, { lexemes, condition: files.condition, repositories }), repositories };
}

async function listOrdered(tx: Reader, where: hits.Where, { asked, terms, places }: Look, slice: Slice): Promise<hits.CodeHit[]> {
  const { limit, offset } = slice;
  if (asked.sort === 'indexed') return hits.listHitsByTime(tx, where, { limit, offset, order: asked.order ?? 'desc' });
  const bonuses = bonusesOf(terms, places);
  const strong = await hits.listStrongHits(tx, where, bonuses, slice);
  if (strong.hits.length === limit) return strong.hits;
  const rest = { limit: limit - strong.hits.length, offset: Math.max(0, offset - strong.total) };
  return [...strong.hits, ...(await hits.listWeakHits(tx, where, bonuses, rest))];
}

/** Each page tells the total, and common words are searched for again and again. */
const totals = resultCache<number>({ maxSize: 10_000, sizeOf: () => 1 });

async function totalOf(at: { db: Db; tx: Reader }, selected: Selected): Promise<number> {
  const stamp = await cacheKeyOf(at, selected);
  const total = totals.get(at.db, stamp) ?? (await hits.countHits(at.tx, selected.where));
  totals.set(at.db, stamp, total);
  return total;
}

/** The files that match, the best first; of some only, where there are more candidates or no time was left. */
type Checked = { matching: hits.CodeHit[]; isWhole: boolean };

/** So that the next page needn't look into a thousand files again. */
const checkedLately = resultCache<Checked>({ maxSize: 100_000, sizeOf: ({ matching }) => matching.length + 1 });

/** Candidates from the index, then a look into each file, the best first, for as long as there is time. */
async function findChecked(at: Stores, look: Look, slice: Slice): Promise<SearchResult<hits.CodeHit>> {
  const found = await findCandidates(at.db, look);
  const { matching, isWhole } = 'checked' in found ? found.checked : await check(at, look, found);
  return {
    items: matching.slice(slice.offset, slice.offset + slice.limit),
    total_count: matching.length,
    incomplete_results: !isWhole,
  };
}

type Candidates = { items: hits.CodeHit[]; areSome: boolean; stamp?: CacheKey };

/** The best files that may match, as far as the index can tell, or what came of looking into them lately. */
async function findCandidates(db: Db, look: Look): Promise<Candidates | { checked: Checked }> {
  const { asked, terms, places } = look;
  const condition = mayHold(terms, places) ?? sql`true`;
  const order = asked.sort && (asked.order ?? 'desc');
  const found = await within(db, look.asked.budget, async (tx) => {
    const selected = await select(tx, look);
    if (!selected) return { items: [], areSome: false };
    const stamp = await cacheKeyOf({ db, tx }, selected, terms, places, order);
    const checked = checkedLately.get(db, stamp);
    if (checked) return { checked };
    const bonuses = bonusesOf(terms, places);
    const items = await hits.listCandidates(tx, selected.where, { bonuses, condition, order, limit: maxResults + 1 });
    return { items: items.slice(0, maxResults), areSome: items.length > maxResults, stamp };
  });
  return found ?? { items: await findAny(db, look, { limit: maxResults, offset: 0 }), areSome: true };
}

async function check({ db, git }: Stores, look: Look, { items, areSome, stamp }: Candidates): Promise<Checked> {
  const { terms, places } = look;
  const matches = makeCheck(terms);
  const budget = atLeast(look.asked.budget, lastResort);
  const matching: hits.CodeHit[] = [];
  let looked = 0;
  for await (const { files, texts } of readPortions(git, items, places)) {
    const found = await lookThrough(files, budget, ({ path, blobOid }) =>
      matches([texts.get(blobOid) ?? '', ...(places.path ? [path] : [])]),
    );
    matching.push(...found.matching);
    looked += found.looked;
    if (found.looked < files.length) break;
  }
  const checked = { matching, isWhole: !areSome && looked === items.length };
  if (stamp && looked === items.length) checkedLately.set(db, stamp, checked);
  return checked;
}
