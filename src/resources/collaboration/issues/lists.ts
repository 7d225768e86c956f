import { type SelectQueryBuilder, sql } from 'kysely';
import { installedPermissions, readableBy } from '#access/sql.ts';
import type { RepositoryRow, Viewer } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';
import { seesField } from '#resources/collaboration/issue-fields/index.ts';
import { selectIssuesInField } from '#search/index.ts';
import { isSwitchedOn } from './readable.ts';
import type { IssueRow } from './store.ts';

/** A filter on what an issue may have: a value, `none`, `any`, or undefined for no filter. */
type FilterValue<Value> = Value | 'none' | 'any' | undefined;

export type Filter = {
  state: 'open' | 'closed' | 'all';
  labels: readonly string[];
  since: Date | undefined;
  milestone?: FilterValue<Id<'milestones'>>;
  assignee?: FilterValue<Id<'accounts'>>;
  creator?: Id<'accounts'>;
  /** The login of a user who is mentioned in the issue or one of its comments. */
  mentioned?: string;
  /** Names of fields with a value of each, both written as in searches. */
  fields?: readonly FieldFilter[];
  /** Without pull requests. */
  issuesAlone?: boolean;
  /** Without issues that are no pull requests. */
  pullsAlone?: boolean;
};

export type FieldFilter = { readonly name: string; readonly value: string };

type Order = { sort: 'created' | 'updated' | 'comments'; direction: 'asc' | 'desc' };

type Query = SelectQueryBuilder<DB, 'issues', IssueRow>;

/** The issues of one repository. */
export function listOfRepository(
  db: Db,
  viewer: Viewer,
  { id: repository, has_pull_requests }: Pick<RepositoryRow, 'id' | 'has_pull_requests'>,
  filter: Filter,
  order: Order,
  page: Page,
): Promise<Listed<IssueRow>> {
  const query = ofRepository(db, viewer, { id: repository, has_pull_requests }, filter);
  return list(db, ordered(query, order), page);
}

/** The issues of one repository that a filter lets through. */
function ofRepository(
  db: Db,
  viewer: Viewer,
  { id: repository, has_pull_requests }: Pick<RepositoryRow, 'id' | 'has_pull_requests'>,
  filter: Filter,
): Query {
  let query = db.selectFrom('issues').selectAll('issues').where('repository_id', '=', repository);
  if (!has_pull_requests) query = query.where('is_pull_request', '=', sql.lit(false));
  if (filter.labels.length > 0) query = query.where(withAllLabels(repository, filter.labels));
  if (filter.mentioned !== undefined) query = query.where(mentions(filter.mentioned, repository));
  for (const field of filter.fields ?? []) query = query.where(hasFieldValue(viewer, repository, field));
  return filtered(query, filter);
}

/** The numbers of open and of closed issues that a filter lets through whatever its state, each as far as `most`. */
export async function countStatesOfRepository(
  db: Db,
  viewer: Viewer,
  repository: Pick<RepositoryRow, 'id' | 'has_pull_requests'>,
  filter: Filter,
  most: number,
): Promise<{ open: number; closed: number }> {
  const counted = (state: 'open' | 'closed') => {
    const some = ofRepository(db, viewer, repository, { ...filter, state })
      .clearSelect()
      .select('issues.id')
      .limit(most);
    return sql<number>`(select count(*)::integer from ${some} as counted)`.as(state);
  };
  return db.selectNoFrom([counted('open'), counted('closed')]).executeTakeFirstOrThrow();
}

/** What a repository may be to a user: the user's own, an organization's whose member the user is, or one to collaborate in. */
export const relations = ['owned', 'orgs', 'collab'] as const;
type Relation = (typeof relations)[number];

/**
 * The repositories of a list: those of one owner, those of a user and the user's organizations, or all. Of these, those that are
 * to `of` what one of `some` says, if there are any, and none of `without`.
 */
type RepositoryRange = {
  owner?: Id<'accounts'>;
  member?: Id<'accounts'>;
  related?: { of: Id<'accounts'>; some: readonly Relation[]; without: readonly Relation[] };
};

/** Issues of many repositories, as far as the viewer may read them. */
export function listOfMany(
  db: Db,
  viewer: Viewer,
  range: RepositoryRange,
  filter: Filter,
  order: Order,
  page: Page,
): Promise<Listed<IssueRow>> {
  let query = db
    .selectFrom('issues')
    .innerJoin('repositories as r', 'r.id', 'issues.repository_id')
    .selectAll('issues')
    .where(readableBy(viewer))
    .where(isSwitchedOn('issues'))
    .where(mayReadIssues(viewer));
  if (range.owner !== undefined) query = query.where('r.owner_id', '=', range.owner);
  if (range.member !== undefined) {
    const { member } = range;
    query = query.where(
      sql<boolean>`(r.owner_id = ${member} or r.owner_id in (select organization_id from memberships where user_id = ${member}))`,
    );
  }
  if (range.related) {
    const { of, some, without } = range.related;
    if (some.length > 0) query = query.where(isRelated(of, some));
    if (without.length > 0) query = query.where(sql<boolean>`not ${isRelated(of, without)}`);
  }
  if (filter.labels.length > 0) query = query.where(hasAllLabels(filter.labels));
  if (filter.mentioned !== undefined) query = query.where(mentions(filter.mentioned));
  return list(db, ordered(filtered(query as unknown as Query, filter), order), page); // the join adds no column
}

/** Whether the repository `r` is one of these things to a user. */
const isRelated = (user: Id<'accounts'>, some: readonly Relation[]) => {
  const conditions = {
    owned: sql`r.owner_id = ${user}`,
    orgs: sql`r.owner_id in (select organization_id from memberships where user_id = ${user})`,
    collab: sql`r.id in (select repository_id from collaborators where user_id = ${user})`,
  };
  return sql<boolean>`(${sql.join(
    some.map((relation) => conditions[relation]),
    sql` or `,
  )})`;
};

/**
 * Whether the credential may read issues. For an app's user that depends on the account: each installation has its own
 * permissions.
 */
const mayReadIssues = ({ grant }: Viewer) =>
  grant.kind === 'app_user'
    ? sql<boolean>`(r.visibility = 'public' or jsonb_exists(${installedPermissions(grant.appId, sql`r.owner_id`)}, 'issues'))`
    : sql<boolean>`true`;

/** Names in lower case without duplicates, computed once in a statement. */
const lowered = (names: readonly string[]) =>
  sql`(select array_agg(distinct lower(name)) from unnest(${names}::text[]) as n (name))::text[]`;

/**
 * Issues of a repository that have all of these labels, counted in one pass however many labels there are. Their ids are read
 * first: no other issues are read, whatever PostgreSQL supposes of how many there are.
 */
const withAllLabels = (repository: Id<'repositories'>, names: readonly string[]) =>
  sql<boolean>`issues.id = any (array(select il.issue_id from issue_labels il join labels l on l.id = il.label_id
    where l.repository_id = ${repository} and lower(l.name) = any (${lowered(names)})
    group by il.issue_id having count(*) = cardinality(${lowered(names)})))`;

/** Whether an issue has all of these labels. For lists that other conditions limit to few rows. */
const hasAllLabels = (names: readonly string[]) =>
  sql<boolean>`(select count(*) from issue_labels il join labels l on l.id = il.label_id
    where il.issue_id = issues.id and lower(l.name) = any (${lowered(names)})) = cardinality(${lowered(names)})`;

/**
 * Whether an issue of the repository has a value in a field that the viewer may see. Their ids are read first, as those of
 * labels.
 */
const hasFieldValue = (viewer: Viewer, repository: Id<'repositories'>, { name, value }: FieldFilter) =>
  sql<boolean>`issues.id = any (array(${selectIssuesInField(
    name,
    value,
    sql`i.repository_id = ${repository} and ${seesField(viewer, sql`f`)}`,
  )}))`;

function filtered(base: Query, { state, since, milestone, assignee, creator, issuesAlone, pullsAlone }: Filter): Query {
  let query = base;
  if (pullsAlone) query = query.where('issues.is_pull_request', '=', true);
  if (issuesAlone) query = query.where('issues.is_pull_request', '=', false);
  if (state !== 'all') query = query.where('issues.state', '=', state);
  if (since) query = query.where('issues.updated_at', '>=', since);
  if (creator !== undefined) query = query.where('issues.author_id', '=', creator);
  if (milestone === 'none') query = query.where('issues.milestone_id', 'is', null);
  else if (milestone === 'any') query = query.where('issues.milestone_id', 'is not', null);
  else if (milestone !== undefined) query = query.where('issues.milestone_id', '=', milestone);
  const assigned = sql<boolean>`exists (select from issue_assignees a where a.issue_id = issues.id)`;
  if (assignee === 'none') query = query.where(sql<boolean>`not ${assigned}`);
  else if (assignee === 'any') query = query.where(assigned);
  else if (assignee !== undefined) {
    query = query.where(
      sql<boolean>`exists (select from issue_assignees a where a.issue_id = issues.id and a.user_id = ${assignee})`,
    );
  }
  return query;
}

/** Issues with a text that mentions the user. Their ids are read first here too, from an index only. */
const mentions = (login: string, repository?: Id<'repositories'>) =>
  sql<boolean>`issues.id = any (array(select t.issue_id from text_references t
    where t.account_id = (select id from accounts where lower(login) = lower(${login}) and kind = 'user')
      and ${repository === undefined ? sql`true` : sql`t.repository_id = ${repository}`} and t.issue_id is not null))`;

const columns = { created: 'issues.created_at', updated: 'issues.updated_at', comments: 'issues.comments_count' } as const;

const ordered = (query: Query, { sort, direction }: Order): Query =>
  query.orderBy(columns[sort], direction).orderBy('issues.id', direction);
