import type { SignedIn } from '#access/viewer.ts';
import type { Scope } from '#endpoint/scope.ts';
import type { Services } from '#endpoint/services.ts';
import type { Caller } from '#lib/caller.ts';
import { gather } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { type IssueHit, parse, searchIssuesAs, startBudget } from '#search/index.ts';
import { presentIssueHits } from './present-issues.ts';
import { issueReads, searchableFields, searchableTeams } from './rules.ts';
import type { IssueItem } from './schemas.ts';

/** The number of issues and pull requests in each list. */
const most = 10;

/** What waits for a person. Each list is a search, so that its page can lead to the whole of it. */
const queries = {
  review_requested: 'is:open is:pr draft:false archived:false review-requested:@me',
  own_pulls: 'is:open is:pr archived:false author:@me',
  assigned: 'is:open is:issue archived:false assignee:@me',
} as const;

/** What is known of one's own pull requests. */
const states = {
  failing: `${queries.own_pulls} status:failure`,
  passing: `${queries.own_pulls} status:success`,
  approved: `${queries.own_pulls} review:approved`,
  changes_requested: `${queries.own_pulls} review:changes_requested`,
} as const;

type List = keyof typeof queries;
type State = keyof typeof states;
type WorkList = { total_count: number; items: (IssueItem & { states: State[] })[] };
type OwnWork = Record<List, WorkList>;

type WorkSearch = {
  readonly scope: Scope;
  readonly viewer: SignedIn;
  readonly services: Services;
  readonly caller: Caller;
};

/** What waits for a person: the first of each list, with the number of all. */
export async function findOwnWork({ scope, viewer, services, caller }: WorkSearch): Promise<OwnWork> {
  const { db } = scope;
  const budget = startBudget(services.searchBudget, { searches: services.searchLimiter, caller });
  const search = (q: string, limit: number) =>
    searchIssuesAs(db, {
      query: parse('issues', q),
      sort: 'updated',
      order: 'desc',
      page: { number: 1, limit, offset: 0 },
      ...issueReads(viewer),
      fields: searchableFields(viewer),
      teams: searchableTeams(viewer),
      viewerId: viewer.account.id,
      type: 'lexical',
      embeddings: services.embeddings,
      budget,
    });
  const [reviews, pulls, assigned] = await Promise.all([
    search(queries.review_requested, most),
    search(queries.own_pulls, most),
    search(queries.assigned, most),
  ]);
  const known = await statesOf(pulls.items, (state) => search(states[state], 100));
  const hits = [...reviews.items, ...pulls.items, ...assigned.items];
  const presented = await presentIssueHits(
    scope,
    hits.map((hit) => ({ hit, matches: undefined })),
  );
  const byId = new Map(presented.map((item) => [item.id, item]));
  const listed = ({ items, total_count }: { items: readonly IssueHit[]; total_count: number }): WorkList => ({
    total_count,
    items: items.flatMap(({ id }) => {
      const item = byId.get(id);
      return item ? [{ ...item, states: known(id) }] : [];
    }),
  });
  return { review_requested: listed(reviews), own_pulls: listed(pulls), assigned: listed(assigned) };
}

type Found = { items: readonly IssueHit[] };

/** Finds out what is known of pull requests. Without any, nothing is searched. */
async function statesOf(
  pulls: readonly IssueHit[],
  search: (state: State) => Promise<Found>,
): Promise<(id: Id<'issues'>) => State[]> {
  if (pulls.length === 0) return () => [];
  const names = Object.keys(states) as State[]; // the keys of the table above
  const found = await Promise.all(names.map(async (name) => [name, new Set(gather((await search(name)).items, 'id'))] as const));
  return (id) => found.flatMap(([name, ids]) => (ids.has(id) ? [name] : []));
}
