// Reviews of a pull request: write, submit and dismiss them.
import { Type } from 'typebox';
import { changesPulls, opensPulls, readsPulls } from '#access/policies.ts';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { textMedia } from '#resources/collaboration/issues/index.ts';
import { pull } from '#resources/collaboration/pulls/index.ts';
import { dismissReview } from '../dismissals.ts';
import { prepareDraft } from '../drafts.ts';
import { review } from '../path-resources.ts';
import { presentReview, presentReviewComments, presentReviews } from '../present.ts';
import { changeReview, createReview, deleteReview, submitReview } from '../rules.ts';
import { NewReview, Review, ReviewChange, ReviewComment, ReviewDismissal, ReviewSubmission } from '../schemas.ts';
import { listCommentsOfReview, listReviews } from '../store.ts';

export const listPullReviews = endpoint({
  id: 'pulls/list-reviews',
  method: 'GET',
  path: '/repos/{owner}/{repo}/pulls/{pull_number}/reviews',
  resources: [pull],
  summary: 'List reviews for a pull request',
  access: readsPulls,
  paging: pages(),
  media: textMedia,
  replies: { 200: Type.Array(Review) },
  async handle({ scope, db, at, page, viewer }) {
    const found = await listReviews(db, at.pull.id, viewer.account?.id, page);
    return mapRows(found, (rows) => presentReviews(scope, at.repo, rows));
  },
});

export const createPullReview = endpoint({
  id: 'pulls/create-review',
  method: 'POST',
  path: '/repos/{owner}/{repo}/pulls/{pull_number}/reviews',
  resources: [pull],
  summary: 'Create a review for a pull request',
  access: opensPulls,
  body: Type.Union([NewReview, Type.Null()], { title: 'PullRequestReview' }),
  example: { body: 'Well done.', event: 'COMMENT' },
  media: textMedia,
  refuses: [409],
  replies: { 200: Review },
  async handle({ scope, change, at, body, action, links }) {
    const wanted = body ?? {};
    const draft = await prepareDraft(scope, at.pull, { commit_id: wanted.commit_id, locations: wanted.comments ?? [] });
    const row = await change((scope, { pull }) => createReview(scope, { ...action, html: links.html }, pull, draft, wanted));
    return presentReview(scope, at.repo, row);
  },
});

export const getPullReview = endpoint({
  id: 'pulls/get-review',
  method: 'GET',
  path: '/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}',
  resources: [review],
  summary: 'Get a review for a pull request',
  access: readsPulls,
  media: textMedia,
  replies: { 200: Review },
  async handle({ scope, at }) {
    return presentReview(scope, at.repo, at.review);
  },
});

export const updatePullReview = endpoint({
  id: 'pulls/update-review',
  method: 'PUT',
  path: '/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}',
  resources: [review],
  summary: 'Update a review for a pull request',
  access: changesPulls,
  body: ReviewChange,
  example: { body: 'Very well done.' },
  media: textMedia,
  replies: { 200: Review },
  async handle({ scope, change, at, body, action, links }) {
    const row = await change((scope, { review }) => changeReview(scope, { ...action, html: links.html }, review, body.body));
    return presentReview(scope, at.repo, row);
  },
});

export const deletePendingReview = endpoint({
  id: 'pulls/delete-pending-review',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}',
  resources: [review],
  summary: 'Delete a pending review for a pull request',
  access: changesPulls,
  media: textMedia,
  refuses: [422],
  replies: { 200: Review },
  async handle({ scope, change, at }) {
    await change((scope, { review }) => deleteReview(scope, review));
    return presentReview(scope, at.repo, at.review);
  },
});

export const listReviewsComments = endpoint({
  id: 'pulls/list-comments-for-review',
  method: 'GET',
  path: '/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/comments',
  resources: [review],
  summary: 'List comments for a pull request review',
  access: readsPulls,
  paging: pages(),
  media: textMedia,
  replies: { 200: Type.Array(ReviewComment) },
  async handle({ scope, db, at, page }) {
    const found = await listCommentsOfReview(db, at.review.id, page);
    return mapRows(found, (rows) => presentReviewComments(scope, at.repo, rows));
  },
});

export const dismissPullReview = endpoint({
  id: 'pulls/dismiss-review',
  method: 'PUT',
  path: '/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/dismissals',
  resources: [review],
  summary: 'Dismiss a review for a pull request',
  access: { ...changesPulls, role: 'write' },
  body: ReviewDismissal,
  example: { message: 'All of it was changed.' },
  media: textMedia,
  replies: { 200: Review },
  async handle({ scope, change, at, body, action }) {
    const row = await change((scope, { pull, review }) => dismissReview(scope, action, pull, review, body.message));
    return presentReview(scope, at.repo, row);
  },
});

export const submitPullReview = endpoint({
  id: 'pulls/submit-review',
  method: 'POST',
  path: '/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/events',
  resources: [review],
  summary: 'Submit a review for a pull request',
  access: opensPulls,
  body: ReviewSubmission,
  example: { event: 'COMMENT', body: 'Well done.' },
  media: textMedia,
  replies: { 200: Review },
  async handle({ scope, change, at, body, action, links }) {
    const textAction = { ...action, html: links.html };
    const row = await change((scope, { pull, review }) => submitReview(scope, textAction, pull, review, body));
    return presentReview(scope, at.repo, row);
  },
});
