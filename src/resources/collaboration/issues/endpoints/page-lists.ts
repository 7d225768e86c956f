// The lists of issues and of pull requests that pages show.
import { type Static, Type } from 'typebox';
import { readsIssuesOrPulls } from '#access/policies.ts';
import type { Repo } from '#access/viewer.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pagesInside } from '#endpoint/paging.ts';
import type { ServedScope } from '#endpoint/scope.ts';
import type { Page } from '#lib/page.ts';
import { OneOf } from '#lib/shape.ts';
import { findMilestoneTitled } from '#resources/collaboration/milestones/index.ts';
import { countStatesOfRepository, type Filter, listOfRepository } from '../lists.ts';
import { presentIssues } from '../present.ts';
import { checkHasIssues, checkHasPulls } from '../rules.ts';
import { Issue } from '../schemas.ts';
import { filterOf, OfRepository } from './lists.ts';

/** Larger numbers aren't counted. */
const mostCounted = 10_001;

const ShownQuery = Type.Object({
  ...OfRepository.properties,
  kind: OneOf(['issue', 'pull']),
  milestone_title: Type.Optional(Type.String({ maxLength: 255 })),
});
type ShownQuery = Static<typeof ShownQuery>;

/** The filter of a query; undefined where it names what doesn't exist, so that nothing can match. */
async function findShown(scope: ServedScope, repo: Repo, query: ShownQuery): Promise<{ filter: Filter } | undefined> {
  const { kind, milestone_title: title } = query;
  if (kind === 'pull') checkHasPulls(repo);
  else checkHasIssues(repo);
  const [milestone, found] = await Promise.all([
    title === undefined ? undefined : findMilestoneTitled(scope.db, repo.id, title),
    filterOf(scope, repo, query),
  ]);
  if (!found || (title !== undefined && !milestone)) return undefined;
  const ofMilestone = milestone ? { milestone: milestone.id } : {};
  return { filter: { ...found, ...ofMilestone, ...(kind === 'pull' ? { pullsAlone: true } : { issuesAlone: true }) } };
}

type Shown = { readonly filter: Filter; readonly query: ShownQuery; readonly page: Page };

/** A page of the list, with the numbers of what is open and closed. */
async function presentShown(scope: ServedScope, repo: Repo, { filter, query, page }: Shown) {
  const { db, viewer } = scope;
  const [{ open, closed }, { rows }] = await Promise.all([
    countStatesOfRepository(db, viewer, repo, filter, mostCounted),
    listOfRepository(db, viewer, repo, filter, query, { ...page, isUncounted: true }),
  ]);
  const total = { open, closed, all: open + closed }[query.state];
  return { body: { open, closed, items: await presentIssues(scope, rows) }, total };
}

/** The issues of a repository, or its pull requests, and how many of them are open and closed. */
export const listShownIssues = endpoint({
  id: 'issues/list-shown',
  method: 'GET',
  path: '/repos/{owner}/{repo}/shown-issues',
  summary: 'List the issues or the pull requests of a repository, with their numbers',
  access: readsIssuesOrPulls,
  query: ShownQuery,
  paging: pagesInside(),
  replies: {
    200: Type.Object({ open: Type.Integer(), closed: Type.Integer(), items: Type.Array(Issue) }),
  },
  async handle({ scope, at, query, page }) {
    const found = await findShown(scope, at.repo, query);
    return found
      ? presentShown(scope, at.repo, { ...found, query, page })
      : { body: { open: 0, closed: 0, items: [] }, total: 0 };
  },
});
