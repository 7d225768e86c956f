// The lists of issues and of pull requests that pages show.
import { Type } from 'typebox';
import { readsIssuesOrPulls } from '#access/policies.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pagesInside } from '#endpoint/paging.ts';
import { OneOf } from '#lib/shape.ts';
import { findMilestoneTitled } from '#resources/collaboration/milestones/index.ts';
import { countStatesOfRepository, type Filter, listOfRepository } from '../lists.ts';
import { presentIssues } from '../present.ts';
import { checkHasIssues, checkHasPulls } from '../rules.ts';
import { Issue } from '../schemas.ts';
import { filterOf, OfRepository } from './lists.ts';

/** Larger numbers aren't counted. */
const mostCounted = 10_001;

/** The issues of a repository, or its pull requests, and how many of them are open and closed. */
export const listShownIssues = endpoint({
  id: 'issues/list-shown',
  method: 'GET',
  path: '/repos/{owner}/{repo}/shown-issues',
  summary: 'List the issues or the pull requests of a repository, with their numbers',
  access: readsIssuesOrPulls,
  query: Type.Object({
    ...OfRepository.properties,
    kind: OneOf(['issue', 'pull']),
    milestone_title: Type.Optional(Type.String({ maxLength: 255 })),
  }),
  paging: pagesInside(),
  replies: {
    200: Type.Object({ open: Type.Integer(), closed: Type.Integer(), items: Type.Array(Issue) }),
  },
  async handle({ scope, db, at, query, page, viewer }) {
    const { repo } = at;
    const { kind, milestone_title: title } = query;
    if (kind === 'pull') checkHasPulls(repo);
    else checkHasIssues(repo);
    const nothing = { body: { open: 0, closed: 0, items: [] }, total: 0 };
    const milestone = title === undefined ? undefined : await findMilestoneTitled(db, repo.id, title);
    const found = await filterOf(scope, repo, query);
    if (!found || (title !== undefined && !milestone)) return nothing;
    const filter: Filter = {
      ...found,
      ...(milestone ? { milestone: milestone.id } : {}),
      ...(kind === 'pull' ? { pullsAlone: true } : { issuesAlone: true }),
    };
    const [counts, { rows, total }] = await Promise.all([
      countStatesOfRepository(db, viewer, repo, filter, mostCounted),
      listOfRepository(db, viewer, repo, filter, query, { ...page, isUncounted: true }),
    ]);
    const { open, closed } = counts;
    const all = query.state === 'all' ? open + closed : query.state === 'open' ? open : closed;
    return { body: { open, closed, items: await presentIssues(scope, rows) }, total: total ?? all };
  },
});
