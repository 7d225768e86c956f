// Comments on the diffs of pull requests, replies to them, and reactions.
import { Type } from 'typebox';
import { changesPulls, opensPulls, readsPulls } from '#access/policies.ts';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { Nothing, OneOf, Timestamp } from '#lib/shape.ts';
import { textMedia } from '#resources/collaboration/issues/index.ts';
import { pull } from '#resources/collaboration/pulls/index.ts';
import { reactionEndpoints } from '#resources/collaboration/reactions/index.ts';
import { createComment, prepareComment } from '../new-comment.ts';
import { commentOfPull, conversation, reviewComment, reviewCommentReaction } from '../path-resources.ts';
import { presentReviewComment, presentReviewComments } from '../present.ts';
import { reactable, subjectOf } from '../reactions.ts';
import { setResolution } from '../resolutions.ts';
import { changeComment, deleteComment, replyTo } from '../rules.ts';
import { NewReviewComment, ReviewComment, ReviewCommentText } from '../schemas.ts';
import { type CommentFilter, listComments } from '../store.ts';

const CommentQuery = Type.Object({
  sort: Type.Optional(OneOf(['created', 'updated', 'created_at'])),
  direction: Type.Optional(OneOf(['asc', 'desc'])),
  since: Type.Optional(Timestamp),
});

/** As in the public API, the direction only counts together with an order. */
const filterOf = ({
  sort,
  direction = 'asc',
  since,
}: {
  sort?: string;
  direction?: 'asc' | 'desc';
  since?: string;
}): CommentFilter => ({
  since: since === undefined ? undefined : new Date(since),
  order: { sort: sort === 'updated' ? 'updated' : 'created', direction: sort === undefined ? 'asc' : direction },
});

export const listRepoReviewComments = endpoint({
  id: 'pulls/list-review-comments-for-repo',
  method: 'GET',
  path: '/repos/{owner}/{repo}/pulls/comments',
  summary: 'List review comments in a repository',
  access: readsPulls,
  query: CommentQuery,
  paging: pages(),
  media: textMedia,
  replies: { 200: Type.Array(ReviewComment) },
  async handle({ scope, db, at, query, page }) {
    const found = await listComments(db, { repository: at.repo.id }, filterOf(query), page);
    return mapRows(found, (rows) => presentReviewComments(scope, at.repo, rows));
  },
});

export const listPullReviewComments = endpoint({
  id: 'pulls/list-review-comments',
  method: 'GET',
  path: '/repos/{owner}/{repo}/pulls/{pull_number}/comments',
  resources: [pull],
  summary: 'List review comments on a pull request',
  access: readsPulls,
  query: CommentQuery,
  paging: pages(),
  media: textMedia,
  replies: { 200: Type.Array(ReviewComment) },
  async handle({ scope, db, at, query, page }) {
    const found = await listComments(db, { pull: at.pull.id }, filterOf(query), page);
    return mapRows(found, (rows) => presentReviewComments(scope, at.repo, rows));
  },
});

export const createReviewComment = endpoint({
  id: 'pulls/create-review-comment',
  method: 'POST',
  path: '/repos/{owner}/{repo}/pulls/{pull_number}/comments',
  resources: [pull],
  summary: 'Create a review comment for a pull request',
  access: opensPulls,
  body: NewReviewComment,
  example: {
    body: 'This leaks.',
    commit_id: '6dcb09b5b57875f334f61aebed695e2e4193db5e',
    path: 'src/pump.ts',
    line: 4,
    side: 'RIGHT',
  },
  media: textMedia,
  refuses: [409],
  replies: { 201: ReviewComment },
  async handle({ scope, change, at, body, action, links }) {
    const draft = await prepareComment(scope, at.pull, body);
    const textAction = { ...action, html: links.html };
    const row = await change((scope, { pull }) => createComment(scope, textAction, pull, draft, body));
    return presentReviewComment(scope, at.repo, row);
  },
});

export const createReviewCommentReply = endpoint({
  id: 'pulls/create-reply-for-review-comment',
  method: 'POST',
  path: '/repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies',
  resources: [commentOfPull],
  summary: 'Create a reply for a review comment',
  access: opensPulls,
  body: ReviewCommentText,
  example: { body: 'It leaks no more.' },
  media: textMedia,
  replies: { 201: ReviewComment },
  async handle({ scope, change, at, body, action, links }) {
    const textAction = { ...action, html: links.html };
    const row = await change((scope, { pull, comment }) => replyTo(scope, textAction, pull, comment, body.body));
    return presentReviewComment(scope, at.repo, row);
  },
});

export const getReviewComment = endpoint({
  id: 'pulls/get-review-comment',
  method: 'GET',
  path: '/repos/{owner}/{repo}/pulls/comments/{comment_id}',
  resources: [reviewComment],
  summary: 'Get a review comment for a pull request',
  access: readsPulls,
  media: textMedia,
  replies: { 200: ReviewComment },
  async handle({ scope, at }) {
    return presentReviewComment(scope, at.repo, at.comment);
  },
});

export const updateReviewComment = endpoint({
  id: 'pulls/update-review-comment',
  method: 'PATCH',
  path: '/repos/{owner}/{repo}/pulls/comments/{comment_id}',
  resources: [reviewComment],
  summary: 'Update a review comment for a pull request',
  access: changesPulls,
  body: ReviewCommentText,
  example: { body: 'This leaks no more.' },
  media: textMedia,
  replies: { 200: ReviewComment },
  async handle({ scope, change, at, body, action, links }) {
    const row = await change((scope, { comment }) => changeComment(scope, { ...action, html: links.html }, comment, body.body));
    return presentReviewComment(scope, at.repo, row);
  },
});

export const deleteReviewComment = endpoint({
  id: 'pulls/delete-review-comment',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/pulls/comments/{comment_id}',
  resources: [reviewComment],
  summary: 'Delete a review comment for a pull request',
  access: changesPulls,
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope, { comment }) => deleteComment(scope, action, comment));
  },
});

/** The public API has no endpoint for this. Its clients resolve conversations through its GraphQL API. */
export const resolveConversation = endpoint({
  id: 'pulls/resolve-conversation',
  method: 'PUT',
  path: '/repos/{owner}/{repo}/pulls/comments/{comment_id}/resolution',
  resources: [conversation],
  summary: 'Resolve the conversation of a review comment',
  access: changesPulls,
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope, { conversation }) => setResolution(scope, action, conversation, true));
  },
});

export const unresolveConversation = endpoint({
  id: 'pulls/unresolve-conversation',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/pulls/comments/{comment_id}/resolution',
  resources: [conversation],
  summary: 'Take back that the conversation of a review comment is resolved',
  access: changesPulls,
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope, { conversation }) => setResolution(scope, action, conversation, false));
  },
});

const reactions = reactionEndpoints({ subjectOf, reactable });

export const listReviewCommentReactions = endpoint({
  ...reactions.list,
  id: 'reactions/list-for-pull-request-review-comment',
  path: '/repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions',
  resources: [reviewComment],
  summary: 'List reactions for a pull request review comment',
  access: readsPulls,
});

export const createReviewCommentReaction = endpoint({
  ...reactions.create,
  id: 'reactions/create-for-pull-request-review-comment',
  path: '/repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions',
  resources: [reviewComment],
  summary: 'Create reaction for a pull request review comment',
  access: opensPulls,
});

export const deleteReviewCommentReaction = endpoint({
  ...reactions.delete,
  id: 'reactions/delete-for-pull-request-comment',
  path: '/repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions/{reaction_id}',
  resources: [reviewCommentReaction],
  summary: 'Delete a pull request comment reaction',
  access: changesPulls,
});
