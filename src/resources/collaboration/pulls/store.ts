import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Db, OrSql, Tx } from '#database/connect.ts';
import { list, listAfter } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import type { Loader } from '#endpoint/loaders.ts';
import type { Scope } from '#endpoint/scope.ts';
import { gather, grouped, keyed } from '#lib/collections.ts';
import type { Id, RepositoryId } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';
import type { IssueRow } from '#resources/collaboration/issues/index.ts';

type Issue = Id<'issues'>;

/** A pull request: the row of its issue, with the columns of its own. Its `id` is that of the issue. */
export type PullRow = IssueRow & Omit<Selectable<DB['pull_requests']>, 'issue_id' | 'repository_id' | 'lacks_reviews'>;

const ownColumns = [
  'p.pull_id',
  'p.base_ref',
  'p.head_ref',
  'p.head_repository_id',
  'p.head_owner_id',
  'p.base_sha',
  'p.head_sha',
  'p.merge_base_sha',
  'p.commits_count',
  'p.additions',
  'p.deletions',
  'p.changed_files',
  'p.review_comments_count',
  'p.maintainer_can_modify',
  'p.head_is_deleted',
  'p.opened_by',
  'p.head_pushed_by',
  'p.head_pushers',
  'p.has_unknown_pusher',
  'p.same_heads',
  'p.base_changed_at',
  'p.is_mergeable',
  'p.is_rebaseable',
  'p.tested_base_sha',
  'p.tested_head_sha',
  'p.merge_commit_sha',
  'p.merged_by',
] as const;

const pulls = (db: Db) =>
  db.selectFrom('issues as i').innerJoin('pull_requests as p', 'p.issue_id', 'i.id').selectAll('i').select(ownColumns);

export const selectPull = (db: Db, repository: OrSql<RepositoryId>, number: number) =>
  pulls(db).where('i.repository_id', '=', repository).where('i.number', '=', number);

/** The same pull request again, its rows locked. */
export const findPullForUpdate = (tx: Tx, { id }: Pick<PullRow, 'id'>): Promise<PullRow | undefined> =>
  pulls(tx).where('i.id', '=', id).forNoKeyUpdate().executeTakeFirst();

/** Pull requests by the ids of their issues, in any order. */
export async function loadPulls(db: Db, ids: readonly Issue[]): Promise<Map<Issue, PullRow>> {
  if (ids.length === 0) return new Map();
  const rows = await pulls(db)
    .where(sql<boolean>`i.id = any(${[...ids]}::bigint[])`)
    .execute();
  return keyed(rows, ({ id }) => id);
}

/** The pull requests of a repository after a number, in their order. */
export const listPullsAfter = (db: Db, repository: RepositoryId, after: number, limit: number): Promise<PullRow[]> =>
  listAfter(
    pulls(db).where('i.repository_id', '=', repository).where('i.is_pull_request', '=', sql<boolean>`true`),
    'i.number',
    after,
    limit,
  );

/** What is known of pull requests that come from an archive, whose issues are there already. */
export async function insertImportedPulls(tx: Tx, rows: readonly Insertable<DB['pull_requests']>[]): Promise<void> {
  if (rows.length > 0)
    await tx
      .insertInto('pull_requests')
      .values([...rows])
      .execute();
}

export const insertPull = (tx: Tx, row: Insertable<DB['pull_requests']>): Promise<Selectable<DB['pull_requests']>> =>
  tx.insertInto('pull_requests').values(row).returningAll().executeTakeFirstOrThrow();

export const updatePull = (tx: Tx, issue: Issue, change: Updateable<DB['pull_requests']>) =>
  tx.updateTable('pull_requests').set(change).where('issue_id', '=', issue).execute();

/** Stores of pull requests whether they lack reviews; rows that say so already aren't written. */
export async function saveLackingReviews(tx: Tx, evaluated: readonly { issue: Issue; lacksReviews: boolean }[]): Promise<void> {
  if (evaluated.length === 0) return;
  await sql`
    update pull_requests p set lacks_reviews = j.lacks
    from unnest(${gather(evaluated, 'issue')}::bigint[], ${gather(evaluated, 'lacksReviews')}::boolean[]) as j (issue, lacks)
    where p.issue_id = j.issue and p.lacks_reviews is distinct from j.lacks`.execute(tx);
}

/** Changes the number of comments of a pull request's reviews. */
export const countReviewComments = (tx: Tx, issue: Issue, by: number) =>
  tx
    .updateTable('pull_requests')
    .set({ review_comments_count: sql<number>`review_comments_count + ${by}` })
    .where('issue_id', '=', issue)
    .execute();

/** Counts comments that came from an archive, each by the pull request that it is on. */
export async function countImportedReviewComments(tx: Tx, issues: readonly Issue[]): Promise<void> {
  if (issues.length === 0) return;
  await sql`
    update pull_requests set review_comments_count = review_comments_count + c.count
    from (select issue, count(*) from unnest(${[...issues]}::bigint[]) as issue group by issue) c
    where pull_requests.issue_id = c.issue`.execute(tx);
}

/** The two branches of a pull request. */
export type Branches = Pick<PullRow, 'base_ref' | 'head_ref' | 'head_repository_id'>;

/** The open pull request of a repository between two branches. */
export const findOpenBetween = (
  db: Db,
  repository: RepositoryId,
  { base_ref, head_ref, head_repository_id }: Branches,
): Promise<{ number: number } | undefined> =>
  db
    .selectFrom('pull_requests as p')
    .innerJoin('issues as i', 'i.id', 'p.issue_id')
    .select('i.number')
    .where('p.repository_id', '=', repository)
    .where('i.state', '=', 'open')
    .where('p.base_ref', '=', base_ref)
    .where('p.head_ref', '=', head_ref)
    .where('p.head_repository_id', '=', head_repository_id)
    .executeTakeFirst();

export type PullFilter = {
  state: 'open' | 'closed' | 'all';
  /** The owner of the head and its branch; without a branch, all of the owner's. */
  head?: { owner: string; ref?: string } | undefined;
  base?: string | undefined;
};

type PullOrder = { sort: 'created' | 'updated' | 'popularity' | 'long-running'; direction: 'asc' | 'desc' };

/** The pull requests of a repository. `long-running` has only those that are a month old and were changed within the last one. */
export function listPulls(
  db: Db,
  repository: RepositoryId,
  { state, head, base }: PullFilter,
  { sort, direction }: PullOrder,
  { page, now }: { page: Page; now: Date },
): Promise<Listed<PullRow>> {
  let query = pulls(db).where('i.repository_id', '=', repository).where('i.is_pull_request', '=', sql<boolean>`true`);
  if (state !== 'all') query = query.where('i.state', '=', state);
  if (base !== undefined) query = query.where('p.base_ref', '=', base);
  if (head) {
    query = query.where(sql<boolean>`p.head_owner_id = (select id from accounts where lower(login) = lower(${head.owner}))`);
    if (head.ref !== undefined) query = query.where('p.head_ref', '=', head.ref);
  }
  if (sort === 'long-running') {
    const monthAgo = new Date(now.getTime() - 30 * 24 * 60 * 60 * 1000);
    query = query.where('i.created_at', '<=', monthAgo).where('i.updated_at', '>=', monthAgo);
  }
  return list(db, query.orderBy(sortColumns[sort], direction).orderBy('i.id', direction), page);
}

const sortColumns = {
  created: 'i.created_at',
  updated: 'i.updated_at',
  popularity: 'i.comments_count',
  'long-running': 'i.created_at',
} as const;

/**
 * The pull requests that a change of their head concerns. `tip` is the branch's commit now: of a deleted branch, all that don't
 * know of that yet; of another, the open ones, and those whose deleted branch is back as it was.
 */
export const listConcernedByHead = (
  db: Db,
  head: { repository: RepositoryId; ref: string; tip: string | null },
): Promise<PullRow[]> =>
  pulls(db)
    .where('p.head_repository_id', '=', head.repository)
    .where('p.head_ref', '=', head.ref)
    .where(
      head.tip === null
        ? sql<boolean>`not p.head_is_deleted`
        : sql<boolean>`(i.state = 'open' or (p.head_is_deleted and p.head_sha = ${head.tip}))`,
    )
    .orderBy('i.id')
    .execute();

/** The move of a ref: `at` says of which event, `ref` is a branch, or null for another ref. */
type EventMove = { at: number; repository: RepositoryId; ref: string | null; tip: string | null };

/** The first event with a move of a branch that is a head or a base. */
export async function findFirstConcerned(db: Db, moves: readonly EventMove[]): Promise<number | undefined> {
  const { rows } = await sql<{ at: number }>`
    select m.at from jsonb_to_recordset(${JSON.stringify(moves)}::jsonb) as m (at int, repository bigint, ref text, tip text)
    where exists (select from pull_requests p where p.head_repository_id = m.repository and p.head_ref = m.ref)
      or exists (select from pull_requests p where p.repository_id = m.repository and p.base_ref = m.ref)
    order by m.at limit 1`.execute(db);
  return rows[0]?.at;
}

/** The open pull requests into branches of a repository. */
export const listOpenInto = (db: Db, repository: RepositoryId, refs: readonly string[]): Promise<PullRow[]> =>
  pulls(db)
    .where('p.repository_id', '=', repository)
    .where(sql<boolean>`p.base_ref = any (${[...refs]}::text[])`)
    .where('i.state', '=', 'open')
    .orderBy('i.id')
    .execute();

/** Pull requests by the ids of their issues. */
export const pullRows: Loader<Issue, PullRow> = ({ db }, ids) => loadPulls(db, ids);

/** The keys are of `baseKey`. */
const openInto: Loader<string, PullRow[]> = async ({ db }, keys) => {
  const rows = await pulls(db)
    .where(sql<boolean>`(p.repository_id, p.base_ref) in (
      select split_part(key, '/', 1)::bigint, substr(key, strpos(key, '/') + 1) from unnest(${keys}::text[]) as k (key))`)
    .where('i.state', '=', 'open')
    .orderBy('i.id')
    .execute();
  return grouped(rows, ({ repository_id, base_ref }) => baseKey(repository_id, base_ref));
};

const baseKey = (repository: RepositoryId, ref: string): string => `${repository}/${ref}`;

/** The same as `listOpenInto`, loaded once in a scope. */
export async function loadOpenInto({ load }: Scope, repository: RepositoryId, refs: readonly string[]): Promise<PullRow[]> {
  const found = await load.all(
    openInto,
    refs.map((ref) => baseKey(repository, ref)),
  );
  return [...found.values()].flat();
}

/** The pull request of a repository whose merge brought a branch of it into another: the latest, where there are several. */
export const findMergedFrom = (db: Db, repository: RepositoryId, ref: string): Promise<PullRow | undefined> =>
  pulls(db)
    .where('p.repository_id', '=', repository)
    .where('p.head_repository_id', '=', repository)
    .where('p.head_ref', '=', ref)
    .where('i.merged_at', 'is not', null)
    .orderBy('i.merged_at', 'desc')
    .orderBy('i.id', 'desc')
    .limit(1)
    .executeTakeFirst();

/** Those of some people who have a merged pull request in a repository, or anywhere. */
export async function findAuthorsOfMerged(
  db: Db,
  { authors, repository }: { authors: readonly Id<'accounts'>[]; repository: RepositoryId | undefined },
): Promise<Set<Id<'accounts'>>> {
  const { rows } = await sql<{ id: Id<'accounts'> }>`
    select a.id from unnest(${authors}::bigint[]) as a(id)
    where exists (select from issues i where i.author_id = a.id and i.merged_at is not null
      and (${repository ?? null}::bigint is null or i.repository_id = ${repository ?? null}::bigint))`.execute(db);
  return new Set(gather(rows, 'id'));
}

/** Whether an open pull request has this branch as its head. */
export async function isOpenHead(db: Db, repository: RepositoryId, ref: string): Promise<boolean> {
  const row = await db
    .selectFrom('pull_requests as p')
    .innerJoin('issues as i', 'i.id', 'p.issue_id')
    .select('i.id')
    .where('i.state', '=', 'open')
    .where('p.head_repository_id', '=', repository)
    .where('p.head_ref', '=', ref)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The number of open pull requests of an author in a repository. */
export async function countOpenBy(db: Db, repository: RepositoryId, author: Id<'accounts'>): Promise<number> {
  const { count } = await db
    .selectFrom('issues')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('repository_id', '=', repository)
    .where('is_pull_request', '=', sql<boolean>`true`)
    .where('state', '=', 'open')
    .where('author_id', '=', author)
    .executeTakeFirstOrThrow();
  return count;
}

/** The open issues of the same repository that the text of a pull request says it closes, their rows locked. */
export async function listClosingForUpdate(tx: Tx, pull: Pick<PullRow, 'id' | 'repository_id'>): Promise<Issue[]> {
  const rows = await tx
    .selectFrom('text_references as t')
    .innerJoin('issues as i', 'i.id', 't.target_issue_id')
    .select('i.id')
    .where('t.issue_id', '=', pull.id)
    .where('t.comment_id', 'is', null)
    .where('t.closes', '=', sql<boolean>`true`)
    .where('i.repository_id', '=', pull.repository_id)
    .where('i.is_pull_request', '=', sql<boolean>`false`)
    .where('i.state', '=', 'open')
    .orderBy('i.id')
    .forNoKeyUpdate('i')
    .execute();
  return rows.map(({ id }) => id);
}

/** Stores the results of tests, except where the head has moved meanwhile. */
export async function saveTests(
  tx: Tx,
  tests: readonly { issue: Issue; base: string; head: string; mergeable: boolean; rebaseable: boolean; commit: string | null }[],
): Promise<void> {
  if (tests.length === 0) return;
  // A merge that is being recorded is waited for: its commit isn't that of a test.
  const issues = tests.map(({ issue }) => issue);
  await sql`select from issues where id = any (${issues}::bigint[]) order by id for no key update`.execute(tx);
  await sql`
    update pull_requests p set is_mergeable = t.mergeable, is_rebaseable = t.rebaseable, tested_base_sha = t.base,
      tested_head_sha = t.head, merge_commit_sha = t.commit
    from jsonb_to_recordset(${JSON.stringify(tests)}::jsonb)
      as t (issue bigint, base text, head text, mergeable boolean, rebaseable boolean, commit text)
    where p.issue_id = t.issue and p.head_sha = t.head
      and exists (select from issues i where i.id = p.issue_id and i.merged_at is null)`.execute(tx);
}

/** Pull requests from a branch follow it to its new name. Returns them. */
export const renameHead = (tx: Tx, repository: RepositoryId, from: string, to: string): Promise<{ issue_id: Issue }[]> =>
  tx
    .updateTable('pull_requests')
    .set({ head_ref: to })
    .where('head_repository_id', '=', repository)
    .where('head_ref', '=', from)
    .where('head_is_deleted', '=', false)
    .returning('issue_id')
    .execute();

/** Open pull requests into a branch follow it to its new name. Returns them. */
export const renameBase = (tx: Tx, repository: RepositoryId, from: string, to: string): Promise<{ issue_id: Issue }[]> =>
  tx
    .updateTable('pull_requests as p')
    .set({ base_ref: to })
    .where('p.repository_id', '=', repository)
    .where('p.base_ref', '=', from)
    .where(sql<boolean>`exists (select from issues i where i.id = p.issue_id and i.state = 'open')`)
    .returning('p.issue_id')
    .execute();

/** The pull requests of a repository that a commit belongs to, or by whose merge it came: the latest first. */
export const listWithCommit = (db: Db, repository: RepositoryId, commit: string, page: Page): Promise<Listed<PullRow>> =>
  list(
    db,
    pulls(db)
      .where('i.repository_id', '=', repository)
      .where(
        sql<boolean>`i.id in (
          select c.issue_id from pull_request_commits c where c.commit_sha = ${commit}
          union all
          select m.issue_id from pull_requests m join issues o on o.id = m.issue_id
          where m.repository_id = ${repository} and m.merge_commit_sha = ${commit} and o.merged_at is not null)`,
      )
      .orderBy('i.id', 'desc'),
    page,
  );

export type PullOfBranch = Pick<PullRow, 'head_ref' | 'number' | 'title' | 'state' | 'is_draft' | 'merged_at'>;

/** The latest pull request of each of these branches of a repository into another branch of it. */
export async function listOfBranches(db: Db, repository: RepositoryId, branches: readonly string[]): Promise<PullOfBranch[]> {
  const { rows } = await sql<PullOfBranch>`
    select b.name as head_ref, l.* from unnest(${[...branches]}::text[]) as b (name) cross join lateral (
      select i.number, i.title, i.state, i.is_draft, i.merged_at
      from pull_requests p join issues i on i.id = p.issue_id
      where p.head_repository_id = ${repository} and p.head_ref = b.name and p.repository_id = ${repository}
      order by p.issue_id desc limit 1) l`.execute(db);
  return rows;
}
