import { type Insertable, type Selectable, sql } from 'kysely';
import { teamsOf } from '#access/sql.ts';
import type { Db, OrSql, Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import { keyed } from '#lib/collections.ts';
import type { Id, RepositoryId } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';
import { type Content, changedCounts } from '#resources/collaboration/reactions/index.ts';
import type { PresentLocation } from './locations.ts';

type Account = Id<'accounts'>;
/** The issue of a pull request. */
type Pull = Id<'issues'>;
type Review = Id<'reviews'>;
type Comment = Id<'review_comments'>;

export type ReviewRow = Selectable<DB['reviews']>;
export type ReviewCommentRow = Selectable<DB['review_comments']>;

/** The reader. Only their author finds pending reviews and their comments. */
type Reader = Account | undefined;

const reviewsFor = (db: Db, reader: Reader) =>
  db
    .selectFrom('reviews')
    .selectAll()
    .where(sql<boolean>`(submitted_at is not null or author_id = ${reader ?? null})`);

const commentsFor = (db: Db, reader: Reader) =>
  db
    .selectFrom('review_comments')
    .selectAll()
    .where(sql<boolean>`(submitted_at is not null or author_id = ${reader ?? null})`);

/** The reviews of a pull request in the order of submission, with the reader's pending one last. */
export const listReviews = (db: Db, pull: Pull, reader: Reader, page: Page): Promise<Listed<ReviewRow>> =>
  list(db, reviewsFor(db, reader).where('issue_id', '=', pull).orderBy('submitted_at').orderBy('id'), page);

export const findReview = (db: Db, pull: Pull, reader: Reader, id: Review): Promise<ReviewRow | undefined> =>
  reviewsFor(db, reader).where('issue_id', '=', pull).where('id', '=', id).executeTakeFirst();

export const findReviewForUpdate = (tx: Tx, { id }: Pick<ReviewRow, 'id'>): Promise<ReviewRow | undefined> =>
  tx.selectFrom('reviews').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();

export const loadReviews = (db: Db, ids: readonly Review[]): Promise<ReviewRow[]> =>
  db
    .selectFrom('reviews')
    .selectAll()
    .where(sql<boolean>`id = any (${[...ids]}::bigint[])`)
    .execute();

export async function hasPendingReview(db: Db, pull: Pull, author: Account): Promise<boolean> {
  const row = await db
    .selectFrom('reviews')
    .select('id')
    .where('issue_id', '=', pull)
    .where('author_id', '=', author)
    .where('state', '=', 'PENDING')
    .executeTakeFirst();
  return row !== undefined;
}

export const insertReview = (tx: Tx, row: Insertable<DB['reviews']>): Promise<ReviewRow> =>
  tx.insertInto('reviews').values(row).returningAll().executeTakeFirstOrThrow();

type ReviewChange = Partial<Pick<ReviewRow, 'state' | 'body' | 'submitted_at'>> & Pick<ReviewRow, 'updated_at'>;

export const updateReview = (tx: Tx, id: Review, change: ReviewChange): Promise<ReviewRow> =>
  tx.updateTable('reviews').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();

/** Dismisses approvals and requests for changes. */
export const dismissReviews = (tx: Tx, ids: readonly Review[], now: Date): Promise<ReviewRow[]> =>
  tx
    .updateTable('reviews')
    .set({ state: 'DISMISSED', updated_at: now })
    .where(sql<boolean>`id = any (${[...ids]}::bigint[])`)
    .returningAll()
    .execute();

/** Some undismissed approvals of a pull request for commits other than the given ones. Their rows are locked. */
export const listApprovalsOfOthers = (tx: Tx, pull: Pull, commits: readonly string[], limit: number): Promise<ReviewRow[]> =>
  tx
    .selectFrom('reviews')
    .selectAll()
    .where('issue_id', '=', pull)
    .where('state', '=', 'APPROVED')
    .where(sql<boolean>`commit_sha <> all (${[...commits]}::text[])`)
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .execute();

/** Removes a review, and with it its comments. */
export const removeReview = (tx: Tx, id: Review) => tx.deleteFrom('reviews').where('id', '=', id).execute();

/** Removes a review without content, after its last comment was deleted. */
export const removeEmptyReview = (tx: Tx, id: Review) =>
  tx
    .deleteFrom('reviews')
    .where('id', '=', id)
    .where('state', '=', 'COMMENTED')
    .where('body', '=', '')
    .where(sql<boolean>`not exists (select from review_comments c where c.review_id = reviews.id)`)
    .execute();

/** The review that counts as a reviewer's decision on a pull request, and the decision. */
export type DecidingReview = Pick<ReviewRow, 'id' | 'author_id' | 'commit_sha' | 'submitted_at'> & {
  issue_id: Pull;
  state: 'APPROVED' | 'CHANGES_REQUESTED' | 'DISMISSED';
};

/**
 * The latest review of each reviewer that approves, requests changes, or was dismissed, for many pull requests in one statement.
 */
export async function loadDecidingReviews(db: Db, pulls: readonly Pull[]): Promise<DecidingReview[]> {
  if (pulls.length === 0) return [];
  const { rows } = await sql<DecidingReview>`
    select distinct on (issue_id, author_id) id, issue_id, author_id, state, commit_sha, submitted_at from reviews
    where issue_id = any (${[...pulls]}::bigint[]) and author_id is not null
      and state in ('APPROVED', 'CHANGES_REQUESTED', 'DISMISSED')
    order by issue_id, author_id, submitted_at desc, id desc`.execute(db);
  return rows;
}

/** The weight of a reviewer in a repository: the role level, and the teams with their parents. */
export type ReviewerRow = { account: Account; level: number; teams: readonly Id<'teams'>[] };

/** Reviewers of a repository's pull requests, by account, in one statement. */
export async function loadReviewers(
  db: Db,
  { id, owner_id }: { id: RepositoryId; owner_id: Account },
  accounts: readonly (Account | null)[],
): Promise<Map<Account, ReviewerRow>> {
  if (accounts.length === 0) return new Map();
  const { rows } = await sql<ReviewerRow>`select a.id as account,
    coalesce((select max(role.level) from repository_roles role
      where role.repository_id = ${id} and role.account_id = a.id), 0) as level,
    ${teamsOf(sql`a.id`, owner_id)} as teams
    from accounts a where a.id = any (${[...accounts]}::bigint[])`.execute(db);
  return keyed(rows, ({ account }) => account);
}

/**
 * The open pull requests to process: of a repository, of all repositories of an account, or of these only the ones that a user
 * reviewed.
 */
export type PullScope = { repository: RepositoryId } | { owner: Account; reviewer?: Account };

/** A cursor in the order of pull requests. */
export type PullCursor = { repository: RepositoryId; number: number };

/** Open pull requests after a cursor, in order. */
export async function listOpenPulls(
  db: Db,
  scope: PullScope,
  after: PullCursor,
  limit: number,
): Promise<(PullCursor & { id: Pull })[]> {
  const within = 'repository' in scope ? sql`r.id = ${scope.repository}` : sql`r.owner_id = ${scope.owner}`;
  const order = sql`order by repository, number limit ${limit}`;
  const open = sql`i.is_pull_request and i.state = 'open'`;
  const columns = sql`i.id, i.repository_id as repository, i.number`;
  const query =
    'reviewer' in scope && scope.reviewer !== undefined
      ? sql<PullCursor & { id: Pull }>`select distinct ${columns}
          from reviews v join issues i on i.id = v.issue_id and ${open}
          join repositories r on r.id = i.repository_id and ${within}
          where v.author_id = ${scope.reviewer} and v.state in ('APPROVED', 'CHANGES_REQUESTED')
            and (i.repository_id, i.number) > (${after.repository}, ${after.number}) ${order}`
      : sql<PullCursor & { id: Pull }>`select i.* from repositories r cross join lateral (
            select ${columns} from issues i
            where i.repository_id = r.id and ${open} and (r.id > ${after.repository} or i.number > ${after.number}) ${order}) i
          where ${within} and r.id >= ${after.repository} ${order}`;
  return (await query.execute(db)).rows;
}

/** Pull requests after an id whose missing reviews haven't been determined, in order. */
export async function listUnevaluated(db: Db, after: Pull | 0, limit: number): Promise<{ id: Pull; repository: RepositoryId }[]> {
  const { rows } = await sql<{ id: Pull; repository: RepositoryId }>`
    select issue_id as id, repository_id as repository from pull_requests
    where lacks_reviews is null and issue_id > ${after} order by issue_id limit ${limit}`.execute(db);
  return rows;
}

/**
 * Serializes evaluations of one repository's reviews until their transactions end, so that a later read is also written later.
 */
export const lockEvaluation = (tx: Tx, repository: RepositoryId) =>
  sql`select pg_advisory_xact_lock(hashtextextended('reviews of ' || ${repository}::bigint, 0))`.execute(tx);

/** The number of a pull request's unresolved conversations. */
export async function countUnresolved(db: Db, pull: Pull): Promise<number> {
  const { count } = await db
    .selectFrom('review_comments')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('issue_id', '=', pull)
    .where('in_reply_to_id', 'is', null)
    .where('submitted_at', 'is not', null)
    .where('resolved_at', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
}

type CommentOrder = { sort: 'created' | 'updated'; direction: 'asc' | 'desc' };
export type CommentFilter = { since: Date | undefined; order: CommentOrder };

/** The comments of a pull request's reviews, or of all reviews in a repository, without pending ones. */
export function listComments(
  db: Db,
  of: { pull: Pull } | { repository: RepositoryId },
  { since, order: { sort, direction } }: CommentFilter,
  page: Page,
): Promise<Listed<ReviewCommentRow>> {
  let query = commentsFor(db, undefined);
  query = 'pull' in of ? query.where('issue_id', '=', of.pull) : query.where('repository_id', '=', of.repository);
  if (since) query = query.where('updated_at', '>=', since);
  const ordered = sort === 'updated' ? query.orderBy('updated_at', direction) : query;
  return list(db, ordered.orderBy('id', direction), page);
}

/** The comments of a review, which the caller may see. */
export const listCommentsOfReview = (db: Db, review: Review, page: Page): Promise<Listed<ReviewCommentRow>> =>
  list(db, db.selectFrom('review_comments').selectAll().where('review_id', '=', review).orderBy('id'), page);

export const selectComment = (db: Db, repository: OrSql<RepositoryId>, reader: Reader, id: Comment) =>
  commentsFor(db, reader).where('repository_id', '=', repository).where('id', '=', id);

/** A submitted comment on a pull request. */
export const findCommentOfPull = (db: Db, pull: Pull, id: Comment): Promise<ReviewCommentRow | undefined> =>
  commentsFor(db, undefined).where('issue_id', '=', pull).where('id', '=', id).executeTakeFirst();

/** Reads the comment again and locks its row; undefined if it was deleted. */
export const findCommentForUpdate = (tx: Tx, { id }: Pick<ReviewCommentRow, 'id'>): Promise<ReviewCommentRow | undefined> =>
  tx.selectFrom('review_comments').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();

/** The first comment of the conversation that a submitted comment belongs to. */
export const selectConversation = (db: Db, repository: OrSql<RepositoryId>, id: Comment) =>
  db
    .selectFrom('review_comments')
    .selectAll()
    .where(
      'id',
      '=',
      db
        .selectFrom('review_comments')
        .select(sql<Comment>`coalesce(in_reply_to_id, id)`.as('id'))
        .where('repository_id', '=', repository)
        .where('submitted_at', 'is not', null)
        .where('id', '=', id),
    );

/** Stores who resolved the conversation that a comment began, and when; nulls if it is no longer resolved. */
export const updateResolution = (tx: Tx, id: Comment, change: Pick<ReviewCommentRow, 'resolved_at' | 'resolved_by'>) =>
  tx.updateTable('review_comments').set(change).where('id', '=', id).execute();

export const loadComments = (db: Db, ids: readonly Comment[]): Promise<ReviewCommentRow[]> =>
  db
    .selectFrom('review_comments')
    .selectAll()
    .where(sql<boolean>`id = any (${[...ids]}::bigint[])`)
    .execute();

/** All comments of a review, oldest first. Their number is limited. */
export const commentsOfReview = (tx: Tx, review: Review): Promise<ReviewCommentRow[]> =>
  tx.selectFrom('review_comments').selectAll().where('review_id', '=', review).orderBy('id').execute();

export async function insertComments(tx: Tx, rows: readonly Insertable<DB['review_comments']>[]): Promise<ReviewCommentRow[]> {
  if (rows.length === 0) return [];
  return tx
    .insertInto('review_comments')
    .values([...rows])
    .returningAll()
    .execute();
}

export const updateComment = (tx: Tx, id: Comment, body: string, now: Date): Promise<ReviewCommentRow> =>
  tx.updateTable('review_comments').set({ body, updated_at: now }).where('id', '=', id).returningAll().executeTakeFirstOrThrow();

/** Makes the comments of a review visible to everybody. */
export const submitComments = (tx: Tx, review: Review, now: Date): Promise<ReviewCommentRow[]> =>
  tx
    .updateTable('review_comments')
    .set({ submitted_at: now, updated_at: now })
    .where('review_id', '=', review)
    .returningAll()
    .execute();

/** Removes a comment. Its first reply then begins the conversation, which stays resolved if it was. */
export async function removeComment(tx: Tx, { id }: ReviewCommentRow): Promise<void> {
  await sql`
    with first as (
      select min(id) as id from review_comments where in_reply_to_id = ${id}
    )
    update review_comments c set in_reply_to_id = case when c.id = first.id then null else first.id end,
      resolved_at = case when c.id = first.id then was.resolved_at end,
      resolved_by = case when c.id = first.id then was.resolved_by end
    from first, review_comments was where c.in_reply_to_id = ${id} and was.id = ${id}`.execute(tx);
  await tx.deleteFrom('review_comments').where('id', '=', id).execute();
}

/** Changes a comment's count of a kind of reaction. */
export const countReaction = (tx: Tx, id: Comment, content: Content, by: 1 | -1) =>
  tx
    .updateTable('review_comments')
    .set({ reactions: changedCounts(content, by) })
    .where('id', '=', id)
    .execute();

/** The next comments of a pull request after an id, including pending ones. */
export const listCommentsAfter = (db: Db, pull: Pull, after: number, limit: number): Promise<ReviewCommentRow[]> =>
  db
    .selectFrom('review_comments')
    .selectAll()
    .where('issue_id', '=', pull)
    .where('id', '>', after as Comment)
    .orderBy('id')
    .limit(limit)
    .execute();

/** Stores the locations of comments in the current diff, whose head is `commit`. */
export async function saveLocations(
  tx: Tx,
  commit: string,
  locations: readonly (PresentLocation & Pick<ReviewCommentRow, 'id'>)[],
): Promise<void> {
  if (locations.length === 0) return;
  await sql`
    update review_comments c set position = p.position, line = p.line, start_line = p.start_line,
      commit_sha = case when p.position is null then c.commit_sha else ${commit} end
    from jsonb_to_recordset(${JSON.stringify(locations)}::jsonb) as p(id bigint, position int, line int, start_line int)
    where c.id = p.id`.execute(tx);
}

/** The comments of conversations, by first comment: the first comment and up to `limit` more of each. */
export async function loadConversations(db: Db, first: readonly Comment[], limit: number): Promise<ReviewCommentRow[]> {
  if (first.length === 0) return [];
  const { rows } = await sql<ReviewCommentRow>`
    select c.* from unnest(${[...first]}::bigint[]) as f (id) cross join lateral (
      (select * from review_comments where id = f.id)
      union all
      (select * from review_comments where in_reply_to_id = f.id and submitted_at is not null order by id limit ${limit})) c
    order by f.id, c.id`.execute(db);
  return rows;
}
