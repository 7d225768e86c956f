// Lists of issues: of a repository, of an organization, and of all repositories.

import { type Static, Type } from 'typebox';
import { findUser } from '#access/lookup.ts';
import { readsIssues } from '#access/policies.ts';
import type { Repo, SignedIn } from '#access/viewer.ts';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import type { ServedScope } from '#endpoint/scope.ts';
import type { Services } from '#endpoint/services.ts';
import { unique } from '#lib/collections.ts';
import { invalid, Refusal } from '#lib/refusal.ts';
import { OneOf, withDefault } from '#lib/shape.ts';
import { findMilestone } from '#resources/collaboration/milestones/index.ts';
import { issueListLimits } from '../limits.ts';
import { type FieldFilter, type Filter, listOfMany, listOfRepository, relations } from '../lists.ts';
import { presentIssues } from '../present.ts';
import { checkHasIssues } from '../rules.ts';
import { Issue } from '../schemas.ts';
import { textMedia } from '../texts/texts.ts';

const common = {
  state: withDefault(OneOf(['open', 'closed', 'all']), 'open'),
  labels: Type.Optional(Type.String({ maxLength: 1024 })),
  sort: withDefault(OneOf(['created', 'updated', 'comments']), 'created'),
  direction: withDefault(OneOf(['asc', 'desc']), 'desc'),
  since: Type.Optional(Type.String({ format: 'date-time' })),
};
const login = Type.Optional(Type.String({ minLength: 1, maxLength: 100 }));
const type = Type.Optional(Type.String({ minLength: 1, maxLength: 100 }));

/** The query of lists of one repository. */
export const OfRepository = Type.Object({
  ...common,
  milestone: Type.Optional(Type.String({ pattern: '^([0-9]{1,9}|none|\\*)$' })),
  assignee: login,
  creator: login,
  mentioned: login,
  type,
  issue_field_values: Type.Optional(Type.String({ maxLength: 1024 })),
});

/**
 * The filters `all` and `repos` list every issue that the viewer may read; the others only list issues that concern the viewer.
 */
const OfMany = Type.Object({
  ...common,
  filter: withDefault(OneOf(['assigned', 'created', 'mentioned', 'subscribed', 'repos', 'all']), 'assigned'),
});

const OfOrganization = Type.Object({ ...OfMany.properties, type });

/**
 * As the public API has it: the issues of those repositories alone, or where it is `false`, without them; `pulls`: with pull
 * requests.
 */
const OfAll = Type.Object({
  ...OfMany.properties,
  owned: Type.Optional(Type.Boolean()),
  orgs: Type.Optional(Type.Boolean()),
  collab: Type.Optional(Type.Boolean()),
  pulls: withDefault(Type.Boolean(), true),
});

type ListQuery = Static<typeof OfMany> | Static<typeof OfRepository>;

function baseFilter({ state, labels = '', since }: ListQuery, { resourceLimits }: Services): Filter {
  const wanted = listedIn(labels);
  const maxLabels = resourceLimits.of(issueListLimits).labels;
  if (wanted.length > maxLabels) throw tooMany('labels', `At most ${maxLabels} labels can be asked for`, 'lists.labels');
  return { state, labels: wanted, since: since === undefined ? undefined : new Date(since) };
}

/** The different texts between commas. */
const listedIn = (text: string): string[] =>
  unique(
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  );

const tooMany = (field: string, message: string, limit: 'lists.labels' | 'lists.fields'): Refusal =>
  new Refusal('invalid', 'Validation Failed', [{ resource: 'Issue', field, code: 'invalid', message }], { limit });

/** Hearth has no types of issues, so every issue is without one. */
const mayHaveType = (type: string | undefined): boolean => type === undefined || type === 'none';

/** The field filters of a query: `name:value`, separated by commas. */
function fieldFilters(text: string, { resourceLimits }: Services): FieldFilter[] {
  const wanted = listedIn(text);
  const maxFields = resourceLimits.of(issueListLimits).fields;
  if (wanted.length > maxFields)
    throw tooMany('issue_field_values', `At most ${maxFields} fields can be asked for`, 'lists.fields');
  return wanted.map((part) => {
    const [, name = '', value = ''] = /^([^:]+):(.+)$/.exec(part) ?? [];
    if (name === '')
      throw invalid('Issue', 'issue_field_values', 'invalid', 'Each must be the name of a field, a colon and a value');
    return { name: name.trim().toLowerCase(), value: value.trim() };
  });
}

/** The filter of a query; undefined where it names a user or a type that doesn't exist, so that no issue can match. */
export async function filterOf(
  { db, services }: ServedScope,
  repo: Repo,
  query: Static<typeof OfRepository>,
): Promise<Filter | undefined> {
  const filter = baseFilter(query, services);
  const { milestone, assignee, creator, mentioned, issue_field_values = '' } = query;
  filter.fields = fieldFilters(issue_field_values, services);
  if (!mayHaveType(query.type)) return undefined;
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
  async handle({ scope, db, at, query, page, viewer }) {
    checkHasIssues(at.repo);
    const filter = await filterOf(scope, at.repo, query);
    if (!filter) return { rows: [], total: 0 };
    const found = await listOfRepository(db, viewer, at.repo, filter, query, page);
    return mapRows(found, (rows) => presentIssues(scope, rows));
  },
});

/**
 * The filter for the viewer's own issues. There are no subscriptions yet, so `subscribed` means issues written by or assigned to
 * the viewer.
 */
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
  query: OfOrganization,
  async handle({ scope, db, at, query, page, viewer, services }) {
    if (!mayHaveType(query.type)) return { rows: [], total: 0 };
    const found = await listOfMany(db, viewer, { owner: at.org.id }, ownFilter(query, viewer, services), query, page);
    return mapRows(found, (rows) => presentIssues(scope, rows, { withRepository: true }));
  },
});

export const listIssues = endpoint({
  ...ofMany,
  id: 'issues/list',
  path: '/issues',
  summary: 'List issues assigned to the authenticated user',
  query: OfAll,
  async handle({ scope, db, query, page, viewer, services }) {
    const related = {
      of: viewer.account.id,
      some: relations.filter((relation) => query[relation] === true),
      without: relations.filter((relation) => query[relation] === false),
    };
    const filter = { ...ownFilter(query, viewer, services), issuesAlone: !query.pulls };
    const found = await listOfMany(db, viewer, { related }, filter, query, page);
    return mapRows(found, (rows) => presentIssues(scope, rows, { withRepository: true }));
  },
});

export const listOwnIssues = endpoint({
  ...ofMany,
  id: 'issues/list-for-authenticated-user',
  path: '/user/issues',
  summary: 'List user account issues assigned to the authenticated user',
  async handle({ scope, db, query, page, viewer, services }) {
    const found = await listOfMany(db, viewer, { member: viewer.account.id }, ownFilter(query, viewer, services), query, page);
    return mapRows(found, (rows) => presentIssues(scope, rows, { withRepository: true }));
  },
});
