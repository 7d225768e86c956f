import type { RepositoryAction } from '#access/action.ts';
import { reaches } from '#access/roles.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record, recordAll } from '#events/record.ts';
import { inRepository } from '#events/scope.ts';
import { forbidden, invalid, unprocessable } from '#lib/refusal.ts';
import { snapshotOf } from '#lib/snapshot.ts';
import { recordReferences, type TextAction, updateIssue } from '#resources/collaboration/issues/index.ts';
import { countReviewComments, type PullRow, withdrawRequest } from '#resources/collaboration/pulls/index.ts';
import { checkJobMayApprove } from '#resources/repositories/apps/index.ts';
import { checkStillHolds, type Draft, type FoundLocation } from './drafts.ts';
import type { NewReview, ReviewEvent, ReviewSubmission } from './schemas.ts';
import {
  commentsOfReview,
  hasPendingReview,
  insertComments,
  insertReview,
  type ReviewCommentRow,
  type ReviewRow,
  removeComment,
  removeEmptyReview,
  removeReview,
  submitComments,
  updateComment,
  updateReview,
} from './store.ts';

/** The state of a submitted review, by its event. */
const stateOf = {
  APPROVE: 'APPROVED',
  REQUEST_CHANGES: 'CHANGES_REQUESTED',
  COMMENT: 'COMMENTED',
} as const satisfies Record<ReviewEvent, ReviewRow['state']>;

/** Whether somebody may write to the repository. */
export const mayWrite = ({ repo, by }: RepositoryAction): boolean =>
  by.grant.kind === 'installation' || reaches(repo.role, 'write');

/** Where the conversation is locked, only users with write access can review. */
function checkMayReview(action: RepositoryAction, { locked }: Pick<PullRow, 'locked'>): void {
  if (locked && !mayWrite(action)) throw forbidden('Unable to create comment because issue is locked.');
}

async function checkNonePending(scope: WriteScope, { by }: RepositoryAction, pull: PullRow): Promise<void> {
  if (await hasPendingReview(scope.tx, pull.id, by.account.id))
    throw unprocessable('User can only have one pending review per pull request');
}

/**
 * Nobody approves their own pull request, nor one that they made of somebody else's issue. Workflow jobs only approve where the
 * settings allow it. Other reviews need a text.
 * @throws Refusal 403 for a job, 422
 */
async function checkEvent(
  scope: WriteScope,
  action: RepositoryAction,
  pull: PullRow,
  event: ReviewEvent,
  says: { body: string; comments: number },
): Promise<void> {
  const { by } = action;
  if (event === 'APPROVE') await checkJobMayApprove(scope.tx, action);
  const isOwn = pull.author_id === by.account.id || pull.opened_by === by.account.id;
  if (isOwn && event === 'APPROVE') throw unprocessable('Can not approve your own pull request');
  if (isOwn && event === 'REQUEST_CHANGES') throw unprocessable('Can not request changes on your own pull request');
  if (event !== 'APPROVE' && says.body.trim() === '' && says.comments === 0)
    throw invalid('PullRequestReview', 'body', 'missing_field');
}

/** Reviews a pull request. Without an event, only its author sees the review for now. */
export async function createReview(
  scope: WriteScope,
  action: TextAction,
  pull: PullRow,
  draft: Draft,
  { body = '', event, comments = [] }: NewReview,
): Promise<ReviewRow> {
  checkMayReview(action, pull);
  checkStillHolds(draft, pull);
  await checkNonePending(scope, action, pull);
  if (event) await checkEvent(scope, action, pull, event, { body, comments: comments.length });
  const review = await insertDraft(scope, action, pull, { draft, body, comments });
  return event ? publish(scope, action, pull, review, { body, event }) : review;
}

/** Inserts a pending review with its comments. */
async function insertDraft(
  scope: WriteScope,
  { by, now }: RepositoryAction,
  pull: PullRow,
  { draft, body, comments }: { draft: Draft; body: string; comments: readonly { body: string }[] },
): Promise<ReviewRow> {
  const common = {
    repository_id: pull.repository_id,
    issue_id: pull.id,
    author_id: by.account.id,
    created_at: now,
    updated_at: now,
    submitted_at: null,
  };
  const review = await insertReview(scope.tx, { ...common, state: 'PENDING', body, commit_sha: draft.commit });
  await insertComments(
    scope.tx,
    draft.locations.map((location, at) => ({ ...common, ...location, review_id: review.id, body: comments[at]?.body ?? '' })),
  );
  return review;
}

/** Submits a pending review of the caller. @throws Refusal 422 where it was submitted before */
export async function submitReview(
  scope: WriteScope,
  action: TextAction,
  pull: PullRow,
  review: ReviewRow,
  { body = review.body, event }: ReviewSubmission,
): Promise<ReviewRow> {
  checkMayReview(action, pull);
  if (review.state !== 'PENDING') throw unprocessable('Can not submit a pull request review that is not pending');
  const comments = await commentsOfReview(scope.tx, review.id);
  await checkEvent(scope, action, pull, event, { body, comments: comments.length });
  return publish(scope, action, pull, review, { body, event });
}

/** Shows a pending review with its comments to everybody. */
async function publish(
  scope: WriteScope,
  action: TextAction,
  pull: PullRow,
  { id }: ReviewRow,
  { body, event }: { body: string; event: ReviewEvent },
): Promise<ReviewRow> {
  const { now } = action;
  const row = await updateReview(scope.tx, id, { state: stateOf[event], body, submitted_at: now, updated_at: now });
  const comments = await submitComments(scope.tx, id, now);
  await recordReview(scope, action, pull, row, comments);
  return row;
}

/** Counts and records a submitted review and its comments, with the references in their texts. */
async function recordReview(
  scope: WriteScope,
  action: TextAction,
  pull: PullRow,
  review: ReviewRow,
  comments: readonly ReviewCommentRow[],
): Promise<void> {
  if (comments.length > 0) await countReviewComments(scope.tx, pull.id, comments.length);
  await withdrawRequest(scope, pull, action.by.account.id);
  await updateIssue(scope.tx, pull.id, { updated_at: action.now });
  const data = { issue: pull.id, review: review.id };
  await record(scope.tx, { ...inRepository(action), kind: 'pull_request_review.submitted', data });
  await recordAll(
    scope.tx,
    comments.map(({ id }) => ({
      ...inRepository(action),
      kind: 'pull_request_review_comment.created' as const,
      data: { ...data, comment: id },
    })),
  );
  await recordReferences(scope, action, { issue: pull.id, review: review.id, after: review.body });
  for (const { id, body } of comments) await recordReferences(scope, action, { issue: pull.id, reviewComment: id, after: body });
}

/** Adds a single comment to the diff: as in the public API, a review without a text of its own. */
export async function commentOnDiff(
  scope: WriteScope,
  action: TextAction,
  pull: PullRow,
  draft: Draft,
  body: string,
): Promise<ReviewCommentRow> {
  checkStillHolds(draft, pull);
  const [location] = draft.locations;
  if (!location) throw new Error('A comment has a location');
  return insertSingle(scope, action, pull, { location, commit: draft.commit, body, in_reply_to_id: null });
}

/** Replies to a comment. A reply to a reply belongs to the first comment of the conversation. */
export async function replyTo(
  scope: WriteScope,
  action: TextAction,
  pull: PullRow,
  to: ReviewCommentRow,
  body: string,
): Promise<ReviewCommentRow> {
  const in_reply_to_id = to.in_reply_to_id ?? to.id;
  return insertSingle(scope, action, pull, { location: locationOf(to), commit: to.commit_sha, body, in_reply_to_id });
}

const locationOf = (comment: ReviewCommentRow): FoundLocation => ({
  path: comment.path,
  subject_type: comment.subject_type,
  side: comment.side,
  start_side: comment.start_side,
  original_commit_sha: comment.original_commit_sha,
  original_base_sha: comment.original_base_sha,
  original_position: comment.original_position,
  original_line: comment.original_line,
  original_start_line: comment.original_start_line,
  diff_hunk: comment.diff_hunk,
  commit_sha: comment.commit_sha,
  position: comment.position,
  line: comment.line,
  start_line: comment.start_line,
});

type Single = { location: FoundLocation; commit: string; body: string } & Pick<ReviewCommentRow, 'in_reply_to_id'>;

async function insertSingle(
  scope: WriteScope,
  action: TextAction,
  pull: PullRow,
  { location, commit, body, in_reply_to_id }: Single,
): Promise<ReviewCommentRow> {
  checkMayReview(action, pull);
  await checkNonePending(scope, action, pull);
  const { by, now } = action;
  const common = {
    repository_id: pull.repository_id,
    issue_id: pull.id,
    author_id: by.account.id,
    created_at: now,
    updated_at: now,
    submitted_at: now,
  };
  const review = await insertReview(scope.tx, { ...common, state: 'COMMENTED', body: '', commit_sha: commit });
  const [comment] = await insertComments(scope.tx, [{ ...common, ...location, review_id: review.id, body, in_reply_to_id }]);
  if (!comment) throw new Error('A comment was not inserted');
  await recordReview(scope, action, pull, review, [comment]);
  return comment;
}

/** Authors may change what they wrote. Users with write access may change all. */
function checkMayChange(action: RepositoryAction, { author_id }: Pick<ReviewRow, 'author_id'>): void {
  if (author_id !== action.by.account.id && !mayWrite(action)) throw forbidden('Must have admin rights to Repository.');
}

/** Changes the text of a review. */
export async function changeReview(scope: WriteScope, action: TextAction, review: ReviewRow, body: string): Promise<ReviewRow> {
  checkMayChange(action, review);
  if (review.body === body) return review;
  const row = await updateReview(scope.tx, review.id, { body, updated_at: action.now });
  if (review.state === 'PENDING') return row;
  const changes = { body: { from: review.body } };
  const data = { issue: review.issue_id, review: review.id, changes };
  await record(scope.tx, { ...inRepository(action), kind: 'pull_request_review.edited', data });
  await recordReferences(scope, action, { issue: review.issue_id, review: review.id, before: review.body, after: body });
  return row;
}

/** Deletes a pending review of the caller with its comments. */
export async function deleteReview(scope: WriteScope, review: ReviewRow): Promise<void> {
  if (review.state !== 'PENDING') throw unprocessable('Can not delete a non-pending pull request review');
  await removeReview(scope.tx, review.id);
}

/** Changes the text of a comment. */
export async function changeComment(
  scope: WriteScope,
  action: TextAction,
  comment: ReviewCommentRow,
  body: string,
): Promise<ReviewCommentRow> {
  checkMayChange(action, comment);
  if (comment.body === body) return comment;
  const row = await updateComment(scope.tx, comment.id, body, action.now);
  if (comment.submitted_at === null) return row;
  const { issue_id: issue, review_id: review, body: before } = comment;
  const data = { issue, review, comment: comment.id, changes: { body: { from: before } } };
  await record(scope.tx, { ...inRepository(action), kind: 'pull_request_review_comment.edited', data });
  await recordReferences(scope, action, { issue, reviewComment: comment.id, before, after: body });
  return row;
}

/** Deletes a comment, and its review if that has no other content. */
export async function deleteComment(scope: WriteScope, action: RepositoryAction, comment: ReviewCommentRow): Promise<void> {
  checkMayChange(action, comment);
  await removeComment(scope.tx, comment);
  if (comment.submitted_at === null) return;
  const { issue_id: issue, review_id: review } = comment;
  await removeEmptyReview(scope.tx, review);
  await countReviewComments(scope.tx, issue, -1);
  await updateIssue(scope.tx, issue, { updated_at: action.now });
  const data = { issue, review, comment: comment.id, was: snapshotOf(comment) };
  await record(scope.tx, { ...inRepository(action), kind: 'pull_request_review_comment.deleted', data });
}
