import type { Db } from '#database/connect.ts';
import type { GitStore } from '#git/repo.ts';
import { type Filter, split } from '#search/query/filters.ts';
import type { Node } from '#search/query/tree.ts';
import { within } from '#search/read.ts';
import { type Asked, type Budget, maxResults, type SearchResult, startBudget, withinResults } from '#search/result.ts';
import { isScopeFilter, resolveScope } from '#search/scope/scope.ts';
import { facet } from './facets.ts';
import { fileFilter, placesOf } from './filters.ts';
import * as hits from './hits.ts';
import { both, lexeme } from './lexeme-query.ts';
import { analyseTerms, hasPhrase, lexemesFor, type Places, type Terms, wantedWords } from './terms.ts';
import { makeCheck, readTexts } from './verify.ts';

export type CodeSearch = Asked & {
  /** From `parse('code', q)`. */
  query: Node;
  sort?: 'indexed';
  order?: 'asc' | 'desc';
};

type Prepared = { terms: Terms; places: Places; selection: hits.Selection; bonuses: hits.Bonus[] };
type Found = { items: hits.CodeHit[]; total: number; complete: boolean };

/** Points for hits elsewhere than in the text. A body hit earns at most 1.7, so these come first. */
const points = { definition: 3, path: 4, name: 2, all: 0.5 };
const mostBonusWords = 8;

/**
 * Searches the default branches of the repositories that the caller may see (document 1). Only these are counted. When the
 * budget ends, what was found until then is given, and `incomplete_results` says so. Throws `QueryError` for a query without
 * a term, and for one that names nothing but what the caller can't access.
 */
export async function searchCode(at: { db: Db; git: GitStore }, asked: CodeSearch): Promise<SearchResult<hits.CodeHit>> {
  const slice = withinResults(asked.page);
  const budget = startBudget(asked.budget);
  const { terms: text, filters } = split(asked.query);
  const terms = analyseTerms(text);
  const scope = await within(at.db, budget, (tx) => resolveScope(tx, { ...asked, filters, forks: false }));
  if (!scope) return { total_count: 0, incomplete_results: true, items: [] };
  if (scope.ids.length === 0) return { total_count: 0, incomplete_results: false, items: [] };
  const prepared = prepare(terms, filters, scope.ids);
  const found = hasPhrase(terms)
    ? await findChecked(at, prepared, asked, { budget, slice })
    : await findAll(at.db, prepared, asked, { budget, slice });
  return { total_count: found.total, incomplete_results: !found.complete, items: found.items };
}

function prepare(terms: Terms, filters: readonly Filter[], repositories: hits.Selection['repositories']): Prepared {
  const places = placesOf(filters);
  const files = fileFilter(filters.filter((filter) => !isScopeFilter(filter)));
  const lexemes = both([lexemesFor(terms, places), files.lexemes]);
  return { terms, places, selection: { lexemes, condition: files.condition, repositories }, bonuses: bonusesOf(terms, places) };
}

/** Words in the path and names that a file defines come before words in its text; files with all alternatives before others. */
function bonusesOf(terms: Terms, places: Places): hits.Bonus[] {
  const words = wantedWords(terms);
  const wanted = words.flatMap(({ terms: some }) => some.flatMap((term) => term.lexemes)).slice(0, mostBonusWords);
  const share = 1 / wanted.length;
  const each = (kind: (word: string) => string, most: number): hits.Bonus[] =>
    wanted.map((word) => ({ lexemes: lexeme(kind(word)), points: most * share }));
  return [
    ...(places.path && places.file ? each(facet.path, points.path) : []),
    ...(places.path ? each(facet.name, points.name) : []),
    ...(places.file ? each(facet.definition, points.definition) : []),
    ...(words.length > 1 && !isConjunction(terms)
      ? [{ lexemes: lexemesFor({ kind: 'all', parts: words }, places), points: points.all }]
      : []),
  ];
}

const isConjunction = (terms: Terms): boolean =>
  terms.kind === 'words' || (terms.kind === 'all' && terms.parts.every(({ kind }) => kind !== 'any'));

type Limits = { budget: Budget; slice: { limit: number; offset: number } };

/** Everything from the index. Without time for the right order, hits in any order; without time for all, those that were counted. */
async function findAll(db: Db, prepared: Prepared, asked: CodeSearch, { budget, slice }: Limits): Promise<Found> {
  const ordered = await within(db, budget, async (tx) => {
    const where = await hits.whereOf(tx, prepared.selection);
    const items = await listOrdered(tx, where, prepared, asked, slice);
    // A first page that isn't full tells the total.
    return { items, total: slice.offset === 0 && items.length < slice.limit ? items.length : await hits.countHits(tx, where) };
  });
  if (ordered) return { ...ordered, complete: true };
  const some = await within(db, startBudget(lastResort), async (tx) =>
    hits.listAnyHits(tx, await hits.whereOf(tx, prepared.selection), slice),
  );
  return { items: some ?? [], total: slice.offset + (some?.length ?? 0), complete: false };
}

/** Milliseconds for the hits that are given when the budget is over. */
const lastResort = 100;

async function listOrdered(
  tx: Parameters<typeof hits.countHits>[0],
  where: Parameters<typeof hits.countHits>[1],
  { bonuses }: Prepared,
  { sort, order = 'desc' }: CodeSearch,
  { limit, offset }: Limits['slice'],
): Promise<hits.CodeHit[]> {
  if (sort === 'indexed') return hits.listHitsByTime(tx, where, { limit, offset, order });
  const strong = await hits.listStrongHits(tx, where, bonuses, { limit, offset });
  if (strong.hits.length === limit) return strong.hits;
  const rest = { limit: limit - strong.hits.length, offset: Math.max(0, offset - strong.total) };
  return [...strong.hits, ...(await hits.listWeakHits(tx, where, bonuses, rest))];
}

const checkedAtOnce = 100;

/** Candidates from the index, then a look into each file, the best first, for as long as there is time. */
async function findChecked(
  at: { db: Db; git: GitStore },
  prepared: Prepared,
  asked: CodeSearch,
  { budget, slice }: Limits,
): Promise<Found> {
  const candidates = await findAll(at.db, prepared, asked, { budget, slice: { limit: maxResults, offset: 0 } });
  const check = makeCheck(prepared.terms, prepared.places);
  const matching: hits.CodeHit[] = [];
  let looked = 0;
  for (; looked < candidates.items.length && budget.left() > 0; looked += checkedAtOnce) {
    const some = candidates.items.slice(looked, looked + checkedAtOnce);
    const texts = prepared.places.file ? await readTexts(at.git, some) : new Map<string, string>();
    matching.push(...some.filter(({ path, blobOid }) => check(path, texts.get(blobOid) ?? '')));
  }
  const complete = candidates.complete && looked >= candidates.total;
  return { items: matching.slice(slice.offset, slice.offset + slice.limit), total: matching.length, complete };
}
