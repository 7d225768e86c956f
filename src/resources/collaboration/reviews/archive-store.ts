// Reviews and their comments in batches, for archives, and as archives bring them. No events are recorded for those that come.
import { type Insertable, sql } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import { listAfter } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import { gather } from '#lib/collections.ts';
import { asId, type Id, type RepositoryId } from '#lib/id.ts';
import type { ReviewCommentRow, ReviewRow } from './store.ts';

/** What a review or a comment tells of its pull request. */
type OfPull = { number: number };

/** A review that was submitted. */
export type SubmittedReview = ReviewRow & OfPull & { submitted_at: Date; state: Exclude<ReviewRow['state'], 'PENDING'> };

/** Where a list of reviews goes on: after the one that was submitted at this time, to the microsecond, and has this id. */
export type ReviewKey = { at: string; id: Id<'reviews'> };
export const firstReview: ReviewKey = { at: '-infinity', id: asId(0) };

/**
 * The reviews of a repository after one of them, in the order in which they were submitted, each with the number of its pull
 * request.
 */
export async function listReviewsAfter(
  db: Db,
  repository: RepositoryId,
  after: ReviewKey,
  limit: number,
): Promise<(SubmittedReview & { key: ReviewKey })[]> {
  const rows = await db
    .selectFrom('reviews')
    .innerJoin('issues', 'issues.id', 'reviews.issue_id')
    .selectAll('reviews')
    .select(['issues.number', sql<string>`reviews.submitted_at::text`.as('at')])
    .where('reviews.repository_id', '=', repository)
    .where('reviews.submitted_at', 'is not', null)
    .where(sql<boolean>`(reviews.submitted_at, reviews.id) > (${after.at}::timestamptz, ${after.id}::bigint)`)
    .orderBy('reviews.submitted_at')
    .orderBy('reviews.id')
    .limit(limit)
    .execute();
  const reviews = rows as (SubmittedReview & { at: string })[]; // pending ones have no time
  return reviews.map(({ at, ...row }) => ({ ...row, key: { at, id: row.id } }));
}

/** A comment of a review that was submitted. */
export type SubmittedComment = ReviewCommentRow & OfPull & { submitted_at: Date };

/**
 * The comments of submitted reviews of a repository after one of them, oldest first, each with the number of its pull request.
 */
export const listCommentsOfRepositoryAfter = (
  db: Db,
  repository: RepositoryId,
  after: Id<'review_comments'>,
  limit: number,
): Promise<SubmittedComment[]> =>
  listAfter(
    db
      .selectFrom('review_comments')
      .innerJoin('issues', 'issues.id', 'review_comments.issue_id')
      .selectAll('review_comments')
      .select('issues.number')
      .where('review_comments.repository_id', '=', repository)
      .where('review_comments.submitted_at', 'is not', null),
    'review_comments.id',
    after,
    limit,
  ) as Promise<SubmittedComment[]>; // pending ones have no time

/** Inserts reviews. Returns their ids in the same order. */
export async function insertImportedReviews(tx: Tx, reviews: readonly Insertable<DB['reviews']>[]): Promise<Id<'reviews'>[]> {
  if (reviews.length === 0) return [];
  const rows = await tx
    .insertInto('reviews')
    .values([...reviews])
    .returning('id')
    .execute();
  // Ids are given in the order of the values.
  return gather(rows, 'id').sort((a, b) => a - b);
}

/** Inserts comments of reviews, without their locations in conversations. Returns their ids in the same order. */
export async function insertImportedReviewComments(
  tx: Tx,
  comments: readonly Insertable<DB['review_comments']>[],
): Promise<Id<'review_comments'>[]> {
  if (comments.length === 0) return [];
  const rows = await tx
    .insertInto('review_comments')
    .values([...comments])
    .returning('id')
    .execute();
  // Ids are given in the order of the values.
  return gather(rows, 'id').sort((a, b) => a - b);
}

/** Makes comments replies to those that began their conversations. */
export async function setConversations(
  tx: Tx,
  replies: readonly { id: Id<'review_comments'>; first: Id<'review_comments'> }[],
): Promise<void> {
  if (replies.length === 0) return;
  await sql`
    update review_comments c set in_reply_to_id = r.first
    from unnest(${gather(replies, 'id')}::bigint[], ${gather(replies, 'first')}::bigint[]) as r (id, first)
    where c.id = r.id`.execute(tx);
}
