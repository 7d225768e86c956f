import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { type LookedThrough, lookThrough } from '#search/look-through.ts';
import { QueryError } from '#search/query/errors.ts';
import type { IssueSort } from '#search/query/sorts.ts';
import type { Node } from '#search/query/tree.ts';
import { type Reader, within } from '#search/read.ts';
import { atLeast, maxResults, type SearchRequest, type SearchResult, withinResults } from '#search/result.ts';
import { resolveScope } from '#search/scope/scope.ts';
import { type Check, makeCheck } from './check.ts';
import { compile, hasPhrase, type Meaning } from './compile.ts';
import * as hits from './hits.ts';
import { allOf } from './matching.ts';
import { findPeople } from './people.ts';
import { type Plan, planOf } from './plan.ts';
import { tiersOf } from './ranking.ts';
import { type TextField, textFields, textFieldsOf } from './terms.ts';
import { loadTexts, textsIn } from './texts.ts';

export type IssueSearch = SearchRequest & {
  /** From `parse('issues', q)`. */
  query: Node;
  /** Whether the query was read by the advanced grammar. */
  advanced?: boolean;
  /** Which fields of issues the caller may know of: a condition on a row `f`; none, where it isn't given. */
  fields?: RawBuilder<unknown>;
  sort?: IssueSort | undefined;
  order?: 'asc' | 'desc';
};

/** A search under way. */
export type Look = { asked: IssueSearch; plan: Plan; places: TextField[] };
type Selected = { where: hits.Where; meaning: Meaning; ids: Id<'repositories'>[] };
export type Found = { rows: hits.IssueHit[]; total: number; complete: boolean };

/**
 * Searches the issues of the repositories that the caller may see (document 1). Only these are counted. When the budget ends,
 * what was found until then is given, and `incomplete_results` says so. Throws `QueryError` for a query that names nothing but
 * what the caller can't access.
 */
export async function searchIssues(db: Db, asked: IssueSearch): Promise<SearchResult<hits.IssueHit>> {
  const slice = withinResults(asked.page);
  const look = lookFor(asked);
  const { rows, total, complete } = hasPhrase(asked.query)
    ? await findChecked(db, look, slice)
    : await findIndexed(db, look, slice);
  return { items: rows, total_count: total, incomplete_results: !complete };
}

/** Prepares a search. Throws `QueryError` for a query that asks for nothing. */
export function lookFor(asked: IssueSearch): Look {
  requireSomething(asked.query);
  return {
    asked,
    plan: planOf(asked.query, { advanced: asked.advanced === true }),
    places: textFieldsOf(asked.query),
  };
}

/** Refuses queries without a word or a meaningful qualifier, as signs alone. */
function requireSomething(query: Node): void {
  const asksFor = compile(query, { places: textFields, people: new Map(), fields: sql`false` });
  if (!asksFor) throw new QueryError('no_term', 'An issue search needs a word or a qualifier.');
}

/** Milliseconds for the hits that are given when the budget is over. */
const lastResort = 100;

/** Hits that the index alone can find. If the time is over, some of them, in no order. */
export async function findIndexed(db: Db, look: Look, slice: hits.Slice): Promise<Found> {
  const ordered = await within(db, look.asked.budget, async (tx) => {
    const selected = await select(tx, look);
    if (!selected) return { rows: [], total: 0 };
    return listOrdered(tx, selected.where, look, slice);
  });
  if (ordered) return { ...ordered, complete: true };
  const rows = await within(db, atLeast(look.asked.budget, lastResort), async (tx) => {
    const selected = await select(tx, look);
    return selected && hits.listAnyHits(tx, selected.where, slice);
  });
  return { rows: rows ?? [], total: rows ? slice.offset + rows.length : 0, complete: false };
}

const meaningOf = async (db: Reader, { asked, places }: Pick<Look, 'asked' | 'places'>): Promise<Meaning> => ({
  places,
  people: await findPeople(db, asked.query, asked.viewerId),
  fields: asked.fields ?? sql`false`,
});

/** Which rows match; undefined when there is no repository to look into. */
export async function select(tx: Reader, { asked, plan, places }: Look): Promise<Selected | undefined> {
  const { scope: filters, nested } = plan;
  const { ids } = await resolveScope(tx, { ...asked, filters, nested, forks: true, only: sql`r.has_issues` });
  if (ids.length === 0) return undefined;
  const meaning = await meaningOf(tx, { asked, places });
  const matching = allOf(plan.required.map((part) => compile(part, meaning)).filter((part) => part !== undefined));
  return { where: await hits.whereOf(tx, matching, ids), meaning, ids };
}

async function listOrdered(
  tx: Reader,
  where: hits.Where,
  { asked, places }: Look,
  slice: hits.Slice,
): Promise<Omit<Found, 'complete'>> {
  const { sort, order = 'desc', query } = asked;
  const tiers = sort ? undefined : tiersOf(query, places);
  // Qualifiers alone match all alike: the newest come first.
  if (!tiers) return hits.listSortedHits(tx, where, { sort: sort ?? 'created', order: sort ? order : 'desc' }, slice);
  const rows = await hits.listBestHits(tx, where, tiers, slice);
  // A first page that isn't full tells the total.
  const isAll = slice.offset === 0 && rows.length < slice.limit;
  return { rows, total: isAll ? rows.length : await hits.countHits(tx, where) };
}

/** A few at first, so that there is something to give when these are enormous. */
const checkedFirst = 10;
const checkedPerBatch = 100;
const maxChecked = 1_000_000;

/**
 * Candidates from the index, then a look at what each of them says, for as long as there is time; what matches is put in order
 * last, since few do. The candidates come in the order that was asked for, or else those that were changed last.
 */
async function findChecked(db: Db, look: Look, slice: hits.Slice): Promise<Found> {
  const { asked, plan, places } = look;
  const { budget } = asked;
  const by = asked.sort ? { sort: asked.sort, order: asked.order ?? 'desc' } : ({ sort: 'updated', order: 'desc' } as const);
  const candidates = await within(db, budget, async (tx) => {
    const selected = await select(tx, look);
    if (!selected) return 'nowhere';
    const found = await hits.listSortedHits(tx, selected.where, by, { limit: maxResults, offset: 0 });
    const check = makeCheck(plan.required, selected.meaning);
    const ids = found.rows.map(({ id }) => id);
    return { ...found, check, answers: await hits.findFacts(tx, ids, check.conditions) };
  });
  if (!candidates || candidates === 'nowhere') return { rows: [], total: 0, complete: candidates === 'nowhere' };
  let rows: hits.IssueHit[] = [];
  let looked = 0;
  for (let size = checkedFirst; looked < candidates.rows.length; size = Math.min(2 * size, checkedPerBatch)) {
    const some = candidates.rows.slice(looked, looked + size);
    const found = await within(db, budget, (tx) => whichMatch(tx, some, candidates, look));
    rows.push(...(found?.matching ?? []));
    looked += found?.looked ?? 0;
    if (!found || found.looked < found.loaded) break;
  }
  const complete = looked >= candidates.rows.length && candidates.total <= candidates.rows.length;
  const total = rows.length;
  const tiers = asked.sort ? undefined : tiersOf(asked.query, places);
  if (tiers && total > 1) rows = (await within(db, budget, (tx) => hits.rankHits(tx, rows, tiers))) ?? rows;
  return { rows: rows.slice(slice.offset, slice.offset + slice.limit), total, complete };
}

async function whichMatch(
  tx: Reader,
  some: readonly hits.IssueHit[],
  { check, answers }: { check: Check; answers: Map<number, boolean[]> },
  { asked: { budget }, places }: Look,
): Promise<LookedThrough<hits.IssueHit> & { loaded: number }> {
  const ids = some.map(({ id }) => id);
  const texts = await loadTexts(tx, ids, { places, most: maxChecked });
  // An issue that is gone by now is passed over; of those that are too many to be read at once, the last ones come next.
  const last = some.findLastIndex(({ id }) => texts.has(id));
  const loaded = some.slice(0, last < 0 ? some.length : last + 1);
  const found = await lookThrough(loaded, budget, function* matches({ id }) {
    const own = texts.get(id);
    return own !== undefined && (yield* check.matches(textsIn(own, places), answers.get(id) ?? []));
  });
  return { ...found, loaded: loaded.length };
}
