import { pathResource } from '#endpoint/path-resource.ts';
import { idOf } from '#endpoint/path-words.ts';
import { findPullForUpdate, pull } from '#resources/collaboration/pulls/index.ts';
import { reactionOf } from '#resources/collaboration/reactions/index.ts';
import { subjectOf } from './reactions.ts';
import {
  findCommentForUpdate,
  findCommentOfPull,
  findReview,
  findReviewForUpdate,
  selectComment,
  selectConversation,
} from './store.ts';

/** A review of a pull request, by its id. As with all parts of reviews, the pull request is locked first. */
export const review = pathResource({
  name: 'review',
  words: { review_id: idOf('reviews') },
  below: pull,
  find: ({ db, at, viewer }, { review_id }) => findReview(db, at.pull.id, viewer.account?.id, review_id),
  lock: async (tx, at) => (await findPullForUpdate(tx, at.pull)) && findReviewForUpdate(tx, at.review),
});

/** A comment of a review of any pull request of a repository, by its id. */
export const reviewComment = pathResource({
  name: 'comment',
  words: { comment_id: idOf('review_comments') },
  below: 'repo',
  query: ({ db, at, viewer }, { comment_id }) => selectComment(db, at.repo.id, viewer.account?.id, comment_id),
  lock: async (tx, { comment }) => (await findPullForUpdate(tx, { id: comment.issue_id })) && findCommentForUpdate(tx, comment),
});

/**
 * A conversation on the diff of any pull request of a repository, by the id of any comment in it. It is represented by its first
 * comment.
 */
export const conversation = pathResource({
  name: 'conversation',
  words: { comment_id: idOf('review_comments') },
  below: 'repo',
  query: ({ db, at }, { comment_id }) => selectConversation(db, at.repo.id, comment_id),
  lock: async (tx, { conversation }) =>
    (await findPullForUpdate(tx, { id: conversation.issue_id })) && findCommentForUpdate(tx, conversation),
});

/** A comment on a pull request that can be replied to, by its id. */
export const commentOfPull = pathResource({
  name: 'comment',
  words: { comment_id: idOf('review_comments') },
  below: pull,
  find: ({ db, at }, { comment_id }) => findCommentOfPull(db, at.pull.id, comment_id),
  lock: async (tx, at) => (await findPullForUpdate(tx, at.pull)) && findCommentForUpdate(tx, at.comment),
});

/** A reaction to such a comment, by its id. */
export const reviewCommentReaction = reactionOf(reviewComment, subjectOf);
