import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import { endWithNextStatement } from '#database/time-budget.ts';
import type { Id } from '#lib/id.ts';
import { type FilterResult, filterWithinBudget } from '#search/look-through.ts';
import { QueryError } from '#search/query/errors.ts';
import type { IssueSort } from '#search/query/sorts.ts';
import type { Node } from '#search/query/tree.ts';
import { keepOrder, planForWords, type Reader, runWithinBudget } from '#search/read.ts';
import { atLeast, maxResults, type SearchRequest, type SearchResult, withinResults } from '#search/result.ts';
import { resolveScope } from '#search/scope/scope.ts';
import { type Check, makeCheck } from './check.ts';
import { compile, hasPhrase, type QueryContext } from './compile.ts';
import * as hits from './hits.ts';
import { allOf, byRow, type Matching } from './matching.ts';
import { findPeople } from './people.ts';
import { type Plan, planOf } from './plan.ts';
import { outsideOf, type Readable, type Unreadable } from './pulls.ts';
import { tiersOf } from './ranking.ts';
import { type TextField, textFields, textFieldsOf } from './terms.ts';
import { loadTexts, textsIn } from './texts.ts';

export type IssueSearch = SearchRequest & {
  /** The result of `parse('issues', q)`. */
  query: Node;
  /** Whether the query was parsed with the advanced grammar. */
  advanced?: boolean;
  /** The condition on the fields `f` of issues that the caller may see. Omitted: none. */
  fields?: RawBuilder<unknown>;
  /** The condition on the teams `t` that the caller may see. Omitted: none. */
  teams?: RawBuilder<unknown>;
  /** Whether the caller may read issues, pull requests, statuses and checks of the visible repository `r`. Omitted: all. */
  reads?: Record<Readable, RawBuilder<boolean>>;
  sort?: IssueSort | undefined;
  order?: 'asc' | 'desc';
};

/** A prepared search. */
export type SearchContext = { request: IssueSearch; plan: Plan; searchedFields: TextField[] };
type Selected = {
  where: hits.Where;
  queryContext: QueryContext;
  ids: Id<'repositories'>[];
  isPartial: boolean;
  /** The condition on readable data in each repository, if some isn't readable. */
  readable: Matching[];
};
type Found = { rows: hits.IssueHit[]; total: number; complete: boolean };

/**
 * Searches the issues of the repositories that the caller may see (document 1). When the budget ends, it returns the results so
 * far, with `incomplete_results`. @throws QueryError for a query without a condition, or one that only names repositories that
 * the caller can't access
 */
export async function searchIssues(db: Db, request: IssueSearch): Promise<SearchResult<hits.IssueHit>> {
  const slice = withinResults(request.page);
  const context = prepareSearch(request);
  const { rows, total, complete } = hasPhrase(request.query)
    ? await findChecked(db, context, slice)
    : await findIndexed(db, context, slice);
  return { items: rows, total_count: total, incomplete_results: !complete };
}

/** Prepares a search. @throws QueryError for a query without a condition */
export function prepareSearch(request: IssueSearch): SearchContext {
  requireConditions(request.query);
  return {
    request,
    plan: planOf(request.query, { advanced: request.advanced === true }),
    searchedFields: textFieldsOf(request.query),
  };
}

const nowhere: Unreadable = { issues: [], pulls: [], statuses: [], checks: [] };

/** Refuses queries without a meaningful word or qualifier, such as only punctuation. */
function requireConditions(query: Node): void {
  const asksFor = compile(query, {
    searchedFields: textFields,
    people: new Map(),
    fields: sql`false`,
    teams: sql`false`,
    unreadable: nowhere,
    readable: sql`select null`,
  });
  if (!asksFor) throw new QueryError('no_term', 'An issue search needs a word or a qualifier.');
}

/** Milliseconds for finding any hits after the budget has ended. */
const fallbackMs = 100;

/** Hits of a query that needs no checks. When the budget ends, any hits, unordered. */
export async function findIndexed(db: Db, context: SearchContext, slice: hits.Slice): Promise<Found> {
  const ordered = await runWithinBudget(db, context.request.budget, async (tx) => {
    if (!context.request.sort) keepOrder();
    const selected = await select(tx, context);
    if (!selected) return { rows: [], total: 0, complete: true };
    return { ...(await listOrdered(tx, selected.where, context, slice)), complete: !selected.isPartial };
  });
  if (ordered) return ordered;
  const rows = await runWithinBudget(db, atLeast(context.request.budget, fallbackMs), async (tx) => {
    const selected = await select(tx, context);
    return selected && hits.listAnyHits(tx, selected.where, slice);
  });
  return { rows: rows ?? [], total: rows ? slice.offset + rows.length : 0, complete: false };
}

const queryContextOf = async (
  db: Reader,
  { request, searchedFields }: Pick<SearchContext, 'request' | 'searchedFields'>,
  unreadable: Unreadable,
): Promise<QueryContext> => ({
  searchedFields,
  unreadable,
  people: await findPeople(db, request.query, request.viewerId),
  fields: request.fields ?? sql`false`,
  teams: request.teams ?? sql`false`,
  readable: sql`select r.id from repositories r
    where r.has_issues and r.id in ${request.visible} and ${request.reads?.issues ?? sql`true`}`,
});

/** The condition of the search; undefined if it covers no repositories. */
export async function select(tx: Reader, { request, plan, searchedFields }: SearchContext): Promise<Selected | undefined> {
  const { scope: filters, nested } = plan;
  const scope = await resolveScope(tx, { ...request, ...readsOf(request), filters, nested, forks: true });
  const { ids, isPartial } = scope;
  if (ids.length === 0) return undefined;
  const unreadable = {
    issues: scope.marked('issues'),
    pulls: scope.marked('pulls'),
    statuses: scope.marked('statuses'),
    checks: scope.marked('checks'),
  };
  const queryContext = await queryContextOf(tx, { request, searchedFields }, unreadable);
  const readable = readableIn(unreadable);
  const required = plan.required.map((part) => compile(part, queryContext)).filter((part) => part !== undefined);
  const { where, isByIndex } = await hits.whereOf(tx, allOf([...required, ...readable]), ids);
  if (!isByIndex) planForWords();
  return { where, queryContext, ids, isPartial, readable };
}

/** The repositories with readable issues or pull requests, with marks on the repositories where not everything is readable. */
function readsOf({ reads }: IssueSearch) {
  const all = sql<boolean>`true`;
  const { issues, pulls, statuses, checks } = reads ?? { issues: all, pulls: all, statuses: all, checks: all };
  const withIssues = sql<boolean>`(r.has_issues and ${issues})`;
  const withPulls = sql<boolean>`(r.has_pull_requests and ${pulls})`;
  return {
    only: sql`(${withIssues} or ${withPulls})`,
    marks: {
      issues: sql<boolean>`not ${withIssues}`,
      pulls: sql<boolean>`not ${withPulls}`,
      statuses: sql<boolean>`not ${statuses}`,
      checks: sql<boolean>`not ${checks}`,
    },
  };
}

/** The conditions that exclude issues and pull requests in repositories where the caller may not read them. */
const readableIn = ({ issues, pulls }: Unreadable): Matching[] => [
  ...(issues.length > 0 ? [byRow(sql`(is_pull_request or ${outsideOf(issues)})`)] : []),
  ...(pulls.length > 0 ? [byRow(sql`(not is_pull_request or ${outsideOf(pulls)})`)] : []),
];

function listOrdered(
  tx: Reader,
  where: hits.Where,
  { request, searchedFields }: SearchContext,
  slice: hits.Slice,
): Promise<hits.Page> {
  const { sort, order = 'desc', query } = request;
  const tiers = sort ? undefined : tiersOf(query, searchedFields);
  endWithNextStatement();
  if (tiers) return hits.listBestHits(tx, where, tiers, slice);
  // Without words all hits have the same rank, so the newest come first.
  return hits.listSortedHits(tx, where, { sort: sort ?? 'created', order: sort ? order : 'desc' }, slice);
}

/** The first batch is small, so that there are results even if the texts are very large. */
const firstBatchSize = 10;
const maxBatchSize = 100;
const maxCommentCharacters = 1_000_000;

/**
 * Checks the texts of candidates from the index until the budget ends, then ranks the matching ones. The candidates come in the
 * requested order, or otherwise by last update.
 */
async function findChecked(db: Db, context: SearchContext, slice: hits.Slice): Promise<Found> {
  const { request, plan, searchedFields } = context;
  const { budget } = request;
  const by = request.sort
    ? { sort: request.sort, order: request.order ?? 'desc' }
    : ({ sort: 'updated', order: 'desc' } as const);
  const candidates = await runWithinBudget(db, budget, async (tx) => {
    const selected = await select(tx, context);
    if (!selected) return 'nowhere';
    const found = await hits.listSortedHits(tx, selected.where, by, { limit: maxResults, offset: 0 });
    const check = makeCheck(plan.required, selected.queryContext);
    const ids = found.rows.map(({ id }) => id);
    const { isPartial } = selected;
    return { ...found, isPartial, check, conditionResults: await hits.evaluateConditions(tx, ids, check.conditions) };
  });
  if (!candidates || candidates === 'nowhere') return { rows: [], total: 0, complete: candidates === 'nowhere' };
  let rows: hits.IssueHit[] = [];
  let checked = 0;
  for (let size = firstBatchSize; checked < candidates.rows.length; size = Math.min(2 * size, maxBatchSize)) {
    const some = candidates.rows.slice(checked, checked + size);
    const found = await runWithinBudget(db, budget, (tx) => filterBatch(tx, some, candidates, context));
    rows.push(...(found?.matching ?? []));
    checked += found?.checked ?? 0;
    if (!found || found.checked < found.loaded) break;
  }
  const isAll = !candidates.isPartial && candidates.total <= candidates.rows.length;
  const complete = isAll && checked >= candidates.rows.length;
  const total = rows.length;
  const tiers = request.sort ? undefined : tiersOf(request.query, searchedFields);
  if (tiers && total > 1) rows = (await runWithinBudget(db, budget, (tx) => hits.rankHits(tx, rows, tiers))) ?? rows;
  return { rows: rows.slice(slice.offset, slice.offset + slice.limit), total, complete };
}

async function filterBatch(
  tx: Reader,
  some: readonly hits.IssueHit[],
  { check, conditionResults }: { check: Check; conditionResults: Map<number, boolean[]> },
  { request: { budget }, searchedFields }: SearchContext,
): Promise<FilterResult<hits.IssueHit> & { loaded: number }> {
  const ids = some.map(({ id }) => id);
  const texts = await loadTexts(tx, ids, { searchedFields, maxCharacters: maxCommentCharacters });
  // Deleted issues are skipped. If `loadTexts` couldn't load all texts, the last issues come in the next batch.
  const last = some.findLastIndex(({ id }) => texts.has(id));
  const loaded = some.slice(0, last < 0 ? some.length : last + 1);
  const found = await filterWithinBudget(loaded, budget, function* matches({ id }) {
    const own = texts.get(id);
    return own !== undefined && (yield* check.matches(textsIn(own, searchedFields), conditionResults.get(id) ?? []));
  });
  return { ...found, loaded: loaded.length };
}
