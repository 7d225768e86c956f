// Reactions to issues and to their comments.
import { readsEither, writesEither } from '#access/policies.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { reactionEndpoints } from '#resources/reactions/index.ts';
import { type CommentWords, getComment } from '../comments.ts';
import { findReactableCommentForUpdate, findReactableIssueForUpdate } from '../reactions.ts';
import { getIssue, type IssueWords } from '../rules.ts';

const ofIssue = reactionEndpoints<IssueWords>({
  find: async (db, at) => ({ issue: (await getIssue(db, at)).id }),
  hold: findReactableIssueForUpdate,
});
const ofComment = reactionEndpoints<CommentWords>({
  find: async (db, at) => ({ comment: (await getComment(db, at)).id }),
  hold: findReactableCommentForUpdate,
});

export const listIssueReactions = endpoint({
  ...ofIssue.list,
  id: 'reactions/list-for-issue',
  path: '/repos/{owner}/{repo}/issues/{issue_number}/reactions',
  summary: 'List reactions for an issue',
  access: readsEither,
});

export const createIssueReaction = endpoint({
  ...ofIssue.create,
  id: 'reactions/create-for-issue',
  path: '/repos/{owner}/{repo}/issues/{issue_number}/reactions',
  summary: 'Create reaction for an issue',
  access: writesEither,
});

export const deleteIssueReaction = endpoint({
  ...ofIssue.delete,
  id: 'reactions/delete-for-issue',
  path: '/repos/{owner}/{repo}/issues/{issue_number}/reactions/{reaction_id}',
  summary: 'Delete an issue reaction',
  access: writesEither,
});

export const listCommentReactions = endpoint({
  ...ofComment.list,
  id: 'reactions/list-for-issue-comment',
  path: '/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions',
  summary: 'List reactions for an issue comment',
  access: readsEither,
});

export const createCommentReaction = endpoint({
  ...ofComment.create,
  id: 'reactions/create-for-issue-comment',
  path: '/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions',
  summary: 'Create reaction for an issue comment',
  access: writesEither,
});

export const deleteCommentReaction = endpoint({
  ...ofComment.delete,
  id: 'reactions/delete-for-issue-comment',
  path: '/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions/{reaction_id}',
  summary: 'Delete an issue comment reaction',
  access: writesEither,
});
