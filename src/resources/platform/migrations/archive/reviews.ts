// Reviews, their comments and comments on commits as the objects of an archive.
import { path } from '#endpoint/links.ts';
import { gather, grouped } from '#lib/collections.ts';
import { asId, type Id } from '#lib/id.ts';
import { timestamp, timestampOrNull } from '#lib/time.ts';
import { type CommitCommentRow, listCommitCommentsAfter } from '#resources/collaboration/commit-comments/index.ts';
import { loadReactions, type ReactionRow } from '#resources/collaboration/reactions/index.ts';
import {
  firstReview,
  listCommentsOfRepositoryAfter,
  listReviewsAfter,
  type ReviewKey,
  type SubmittedComment,
  type SubmittedReview,
} from '#resources/collaboration/reviews/index.ts';
import type { Address } from './format.ts';
import { batchesOf } from './pages.ts';
import { type Accounts, type ArchivedRepository, addressOrNull, pullAddress, reactionRecords, reviewAddress } from './records.ts';
import type { CommitCommentRecord, PullRequestReviewRecord, ReviewCommentRecord, ReviewStateNumber } from './said-format.ts';
import type { People, Source } from './source.ts';

const stateNumbers = {
  COMMENTED: 1,
  CHANGES_REQUESTED: 30,
  APPROVED: 40,
  DISMISSED: 50,
} as const satisfies Record<SubmittedReview['state'], ReviewStateNumber>;

/** The reviews that were submitted: pending ones are their authors' alone. */
export async function* reviewsOf(
  { db, html }: Source,
  archived: ArchivedRepository,
  people: People,
): AsyncGenerator<readonly object[]> {
  const list = (after: ReviewKey, limit: number) => listReviewsAfter(db, archived.row.id, after, limit);
  for await (const rows of batchesOf(firstReview, list, ({ key }) => key)) {
    const accounts = await people.load(gather(rows, 'author_id'));
    yield rows.map((row) => reviewRecord(html, archived, row, accounts));
  }
}

const reviewRecord = (
  html: string,
  archived: ArchivedRepository,
  row: SubmittedReview,
  accounts: Accounts,
): PullRequestReviewRecord => ({
  type: 'pull_request_review',
  url: reviewAddress(archived, row.number, row.id),
  pull_request: pullAddress(archived, row.number),
  user: addressOrNull(html, accounts, row.author_id),
  body: row.body,
  formatter: 'markdown',
  head_sha: row.commit_sha,
  state: stateNumbers[row.state],
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
  submitted_at: timestamp(row.submitted_at),
});

/** The comments of these reviews. */
export async function* reviewCommentsOf(
  { db, html }: Source,
  archived: ArchivedRepository,
  people: People,
): AsyncGenerator<readonly object[]> {
  const list = (after: Id<'review_comments'>, limit: number) => listCommentsOfRepositoryAfter(db, archived.row.id, after, limit);
  for await (const rows of batchesOf(asId<'review_comments'>(0), list, ({ id }) => id)) {
    const reactions = await loadReactions(db, 'review_comment_id', gather(rows, 'id'));
    const ids = [...gather(rows, 'author_id'), ...gather(rows, 'resolved_by'), ...gather(reactions, 'user_id')];
    const accounts = await people.load(ids);
    const reactionsOf = grouped(reactions, ({ review_comment_id }) => review_comment_id);
    yield rows.map((row) => reviewCommentRecord(html, archived, row, { reactions: reactionsOf.get(row.id) ?? [], accounts }));
  }
}

type CommentParts = { reactions: readonly ReactionRow[]; accounts: Accounts };

const commentAddress = (archived: ArchivedRepository, number: number, id: Id<'review_comments'>): Address =>
  `${pullAddress(archived, number)}#discussion_r${id}`;

const reviewCommentRecord = (
  html: string,
  archived: ArchivedRepository,
  row: SubmittedComment,
  { reactions, accounts }: CommentParts,
): ReviewCommentRecord => ({
  type: 'pull_request_review_comment',
  url: commentAddress(archived, row.number, row.id),
  pull_request: pullAddress(archived, row.number),
  pull_request_review: reviewAddress(archived, row.number, row.review_id),
  in_reply_to: row.in_reply_to_id === null ? null : commentAddress(archived, row.number, row.in_reply_to_id),
  user: addressOrNull(html, accounts, row.author_id),
  body: row.body,
  formatter: 'markdown',
  diff_hunk: row.diff_hunk,
  path: row.path,
  subject_type: row.subject_type,
  side: row.side,
  start_side: row.start_side,
  position: row.position,
  line: row.line,
  start_line: row.start_line,
  commit_id: row.commit_sha,
  original_position: row.original_position,
  original_line: row.original_line,
  original_start_line: row.original_start_line,
  original_commit_id: row.original_commit_sha,
  original_base_id: row.original_base_sha,
  reactions: reactionRecords(html, reactions, accounts),
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
  submitted_at: timestamp(row.submitted_at),
  resolved_at: timestampOrNull(row.resolved_at),
  resolved_by: addressOrNull(html, accounts, row.resolved_by),
});

/** The comments on commits of a repository. */
export async function* commitCommentsOf(
  { db, html }: Source,
  archived: ArchivedRepository,
  people: People,
): AsyncGenerator<readonly object[]> {
  const list = (after: Id<'commit_comments'>, limit: number) => listCommitCommentsAfter(db, archived.row.id, after, limit);
  for await (const rows of batchesOf(asId<'commit_comments'>(0), list, ({ id }) => id)) {
    const reactions = await loadReactions(db, 'commit_comment_id', gather(rows, 'id'));
    const accounts = await people.load([...gather(rows, 'author_id'), ...gather(reactions, 'user_id')]);
    const reactionsOf = grouped(reactions, ({ commit_comment_id }) => commit_comment_id);
    yield rows.map((row) => commitCommentRecord(html, archived, row, { reactions: reactionsOf.get(row.id) ?? [], accounts }));
  }
}

const commitCommentRecord = (
  html: string,
  archived: ArchivedRepository,
  row: CommitCommentRow,
  { reactions, accounts }: CommentParts,
): CommitCommentRecord => ({
  type: 'commit_comment',
  url: `${path(archived.url, 'commit', row.commit_sha)}#commitcomment-${row.id}`,
  repository: archived.url,
  user: addressOrNull(html, accounts, row.author_id),
  body: row.body,
  formatter: 'markdown',
  commit_id: row.commit_sha,
  path: row.path,
  position: row.position,
  line: row.line,
  reactions: reactionRecords(html, reactions, accounts),
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
});
