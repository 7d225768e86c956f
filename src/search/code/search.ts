import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import type { GitStore } from '#git/repo.ts';
import { makeCheck } from '#search/check.ts';
import { both } from '#search/lexeme-query.ts';
import { type Filter, split } from '#search/query/filters.ts';
import type { Node } from '#search/query/tree.ts';
import { type Reader, within } from '#search/read.ts';
import { type Asked, type Budget, maxResults, type SearchResult, startBudget, withinResults } from '#search/result.ts';
import { isScopeFilter, resolveScope } from '#search/scope/scope.ts';
import { hasPhrase, lexemesFor, type Terms } from '#search/terms.ts';
import { bonusesOf } from './bonuses.ts';
import { fileFilter, placesOf } from './filters.ts';
import * as hits from './hits.ts';
import { mayHold } from './phrases.ts';
import { portionsOf, readTexts } from './read-texts.ts';
import { inPlaces, type Places, requireTerms } from './terms.ts';
import { type Selected, totalOf } from './totals.ts';

export type CodeSearch = Asked & {
  /** From `parse('code', q)`. */
  query: Node;
  sort?: 'indexed';
  order?: 'asc' | 'desc';
};

type Look = { asked: CodeSearch; terms: Terms; places: Places; filters: readonly Filter[]; budget: Budget };
type Slice = { limit: number; offset: number };

/**
 * Searches the default branches of the repositories that the caller may see (document 1). Only these are counted. When the
 * budget ends, what was found until then is given, and `incomplete_results` says so. Throws `QueryError` for a query without
 * a term, and for one that names nothing but what the caller can't access.
 */
export async function searchCode(at: { db: Db; git: GitStore }, asked: CodeSearch): Promise<SearchResult<hits.CodeHit>> {
  const slice = withinResults(asked.page);
  const { terms: text, filters } = split(asked.query);
  const look: Look = { asked, terms: requireTerms(text), places: placesOf(filters), filters, budget: startBudget(asked.budget) };
  return hasPhrase(look.terms) ? findChecked(at, look, slice) : findIndexed(at.db, look, slice);
}

/** Milliseconds for the hits that are given when the budget is over. */
const lastResort = 100;

/** What the index alone can tell. Without time for the right order, some hits in no order. */
async function findIndexed(db: Db, look: Look, slice: Slice): Promise<SearchResult<hits.CodeHit>> {
  const ordered = await within(db, look.budget, async (tx) => {
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
  const some = await within(db, startBudget(lastResort), async (tx) => {
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

/** Candidates from the index, then a look into each file, the best first, for as long as there is time. */
async function findChecked(
  { db, git }: { db: Db; git: GitStore },
  look: Look,
  slice: Slice,
): Promise<SearchResult<hits.CodeHit>> {
  const candidates = await findCandidates(db, look);
  const check = makeCheck(look.terms);
  const budget = startBudget(Math.max(look.budget.left(), lastResort));
  const matching: hits.CodeHit[] = [];
  let looked = 0;
  for (const some of portionsOf(candidates.items)) {
    if (budget.left() === 0) break;
    looked += some.length;
    const read = look.places.file ? await readTexts(git, some) : new Map<string, string>();
    matching.push(...some.filter(({ path, blobOid }) => check([read.get(blobOid) ?? '', ...(look.places.path ? [path] : [])])));
  }
  return {
    items: matching.slice(slice.offset, slice.offset + slice.limit),
    total_count: matching.length,
    incomplete_results: candidates.areSome || looked < candidates.items.length,
  };
}

/** The best files that may match, as far as the index can tell; `areSome` says that there may be more. */
async function findCandidates(db: Db, look: Look): Promise<{ items: hits.CodeHit[]; areSome: boolean }> {
  const { asked, terms, places } = look;
  const condition = mayHold(terms, places) ?? sql`true`;
  const order = asked.sort && (asked.order ?? 'desc');
  const found = await within(db, look.budget, async (tx) => {
    const selected = await select(tx, look);
    return selected
      ? hits.listCandidates(tx, selected.where, { bonuses: bonusesOf(terms, places), condition, order, limit: maxResults + 1 })
      : [];
  });
  if (found) return { items: found.slice(0, maxResults), areSome: found.length > maxResults };
  return { items: await findAny(db, look, { limit: maxResults, offset: 0 }), areSome: true };
}
