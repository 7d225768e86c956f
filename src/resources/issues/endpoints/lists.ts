// Lists of issues: of a repository, of an organization, and of all repositories.
import { type Static, Type } from 'typebox';
import { findUser } from '#access/lookup.ts';
import { readsIssues } from '#access/policies.ts';
import type { Repo, SignedIn } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import type { Services } from '#endpoint/services.ts';
import { invalid, Refusal } from '#lib/refusal.ts';
import { OneOf, withDefault } from '#lib/shape.ts';
import { findMilestone } from '#resources/milestones/index.ts';
import { type Filter, listOfMany, listOfRepository } from '../lists.ts';
import { presentIssues } from '../present.ts';
import { checkHasIssues } from '../rules.ts';
import { Issue } from '../schemas.ts';
import { textMedia } from '../texts.ts';

const common = {
  state: withDefault(OneOf(['open', 'closed', 'all']), 'open'),
  labels: Type.Optional(Type.String({ maxLength: 1024 })),
  sort: withDefault(OneOf(['created', 'updated', 'comments']), 'created'),
  direction: withDefault(OneOf(['asc', 'desc']), 'desc'),
  since: Type.Optional(Type.String({ format: 'date-time' })),
};
const login = Type.Optional(Type.String({ minLength: 1, maxLength: 100 }));

const OfRepository = Type.Object({
  ...common,
  milestone: Type.Optional(Type.String({ pattern: '^([0-9]{1,9}|none|\\*)$' })),
  assignee: login,
  creator: login,
  mentioned: login,
});

/** The filters `all` and `repos` list every issue that the viewer may read, the others only those that concern the viewer. */
const OfMany = Type.Object({
  ...common,
  filter: withDefault(OneOf(['assigned', 'created', 'mentioned', 'subscribed', 'repos', 'all']), 'assigned'),
});

type ListQuery = Static<typeof OfMany> | Static<typeof OfRepository>;

function baseFilter({ state, labels = '', since }: ListQuery, { resourceLimits }: Services): Filter {
  const names = labels.split(',').map((name) => name.trim());
  const wanted = [...new Set(names.filter((name) => name !== ''))];
  const maxLabels = resourceLimits.lists.labels;
  if (wanted.length > maxLabels) {
    const error = {
      resource: 'Issue',
      field: 'labels',
      code: 'invalid',
      message: `At most ${maxLabels} labels can be asked for`,
    } as const;
    throw new Refusal('invalid', 'Validation Failed', [error], { limit: 'lists.labels' });
  }
  return { state, labels: wanted, since: since === undefined ? undefined : new Date(since) };
}

/** The filter of a query; undefined where it names a user who doesn't exist, so that no issue can match. */
async function filterOf(
  { db, services }: { db: Db; services: Services },
  repo: Repo,
  query: Static<typeof OfRepository>,
): Promise<Filter | undefined> {
  const filter = baseFilter(query, services);
  const { milestone, assignee, creator, mentioned } = query;
  if (milestone === 'none') filter.milestone = 'none';
  else if (milestone === '*') filter.milestone = 'any';
  else if (milestone !== undefined) {
    const found = await findMilestone(db, repo.id, Number(milestone));
    if (!found) throw invalid('Issue', 'milestone', 'invalid');
    filter.milestone = found.id;
  }
  if (assignee === 'none') filter.assignee = 'none';
  else if (assignee === '*') filter.assignee = 'any';
  else if (assignee !== undefined) {
    const user = await findUser(db, assignee);
    if (!user) return undefined;
    filter.assignee = user.id;
  }
  if (creator !== undefined) {
    const user = await findUser(db, creator);
    if (!user) return undefined;
    filter.creator = user.id;
  }
  return mentioned === undefined ? filter : { ...filter, mentioned };
}

export const listRepoIssues = endpoint({
  id: 'issues/list-for-repo',
  method: 'GET',
  path: '/repos/{owner}/{repo}/issues',
  summary: 'List repository issues',
  access: readsIssues,
  query: OfRepository,
  paging: pages(),
  media: textMedia,
  replies: { 200: Type.Array(Issue) },
  async handle({ db, at, query, page, viewer, links, media, services }) {
    checkHasIssues(at.repo);
    const filter = await filterOf({ db, services }, at.repo, query);
    if (!filter) return { rows: [], total: 0 };
    const found = await listOfRepository(db, at.repo.id, filter, query, page);
    return mapRows(found, (rows) => presentIssues({ db, links, viewer, repo: at.repo, media, git: services.git }, rows));
  },
});

/** The filter for the viewer's own issues. There are no subscriptions yet, so `subscribed` means issues written by or assigned to the viewer. */
function ownFilter(query: Static<typeof OfMany>, { account }: SignedIn, services: Services): Filter {
  const filter = baseFilter(query, services);
  if (query.filter === 'assigned' || query.filter === 'subscribed') filter.assignee = account.id;
  if (query.filter === 'created') filter.creator = account.id;
  if (query.filter === 'mentioned') filter.mentioned = account.login;
  return filter;
}

const ofMany = {
  method: 'GET',
  access: { permission: 'issues:read', scopes: ['repo', 'public_repo'] },
  query: OfMany,
  paging: pages(),
  media: textMedia,
  replies: { 200: Type.Array(Issue) },
} as const;

export const listOrgIssues = endpoint({
  ...ofMany,
  id: 'issues/list-for-org',
  path: '/orgs/{org}/issues',
  summary: 'List organization issues assigned to the authenticated user',
  async handle({ db, at, query, page, viewer, links, media, services }) {
    const found = await listOfMany(db, viewer, { owner: at.org.id }, ownFilter(query, viewer, services), query, page);
    return mapRows(found, (rows) =>
      presentIssues({ db, links, viewer, media, git: services.git }, rows, { withRepository: true }),
    );
  },
});

export const listIssues = endpoint({
  ...ofMany,
  id: 'issues/list',
  path: '/issues',
  summary: 'List issues assigned to the authenticated user',
  async handle({ db, query, page, viewer, links, media, services }) {
    const found = await listOfMany(db, viewer, {}, ownFilter(query, viewer, services), query, page);
    return mapRows(found, (rows) =>
      presentIssues({ db, links, viewer, media, git: services.git }, rows, { withRepository: true }),
    );
  },
});

export const listOwnIssues = endpoint({
  ...ofMany,
  id: 'issues/list-for-authenticated-user',
  path: '/user/issues',
  summary: 'List user account issues assigned to the authenticated user',
  async handle({ db, query, page, viewer, links, media, services }) {
    const found = await listOfMany(db, viewer, { member: viewer.account.id }, ownFilter(query, viewer, services), query, page);
    return mapRows(found, (rows) =>
      presentIssues({ db, links, viewer, media, git: services.git }, rows, { withRepository: true }),
    );
  },
});
