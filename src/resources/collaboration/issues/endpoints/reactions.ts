// Reactions to issues and to their comments.
import { interactsWithIssuesOrPulls, readsIssuesOrPulls, writesIssuesOrPulls } from '#access/policies.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { reactionEndpoints } from '#resources/collaboration/reactions/index.ts';
import { reactableComment, reactableIssue, subjectOfComment, subjectOfIssue } from '../comments/reactions.ts';
import { comment, commentReaction, issue, issueReaction } from '../path-resources.ts';

const ofIssue = reactionEndpoints({ subjectOf: subjectOfIssue, reactable: reactableIssue });
const ofComment = reactionEndpoints({ subjectOf: subjectOfComment, reactable: reactableComment });

export const listIssueReactions = endpoint({
  ...ofIssue.list,
  id: 'reactions/list-for-issue',
  path: '/repos/{owner}/{repo}/issues/{issue_number}/reactions',
  resources: [issue],
  summary: 'List reactions for an issue',
  access: readsIssuesOrPulls,
});

export const createIssueReaction = endpoint({
  ...ofIssue.create,
  id: 'reactions/create-for-issue',
  path: '/repos/{owner}/{repo}/issues/{issue_number}/reactions',
  resources: [issue],
  summary: 'Create reaction for an issue',
  access: interactsWithIssuesOrPulls,
});

export const deleteIssueReaction = endpoint({
  ...ofIssue.delete,
  id: 'reactions/delete-for-issue',
  path: '/repos/{owner}/{repo}/issues/{issue_number}/reactions/{reaction_id}',
  resources: [issueReaction],
  summary: 'Delete an issue reaction',
  access: writesIssuesOrPulls,
});

export const listCommentReactions = endpoint({
  ...ofComment.list,
  id: 'reactions/list-for-issue-comment',
  path: '/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions',
  resources: [comment],
  summary: 'List reactions for an issue comment',
  access: readsIssuesOrPulls,
});

export const createCommentReaction = endpoint({
  ...ofComment.create,
  id: 'reactions/create-for-issue-comment',
  path: '/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions',
  resources: [comment],
  summary: 'Create reaction for an issue comment',
  access: interactsWithIssuesOrPulls,
});

export const deleteCommentReaction = endpoint({
  ...ofComment.delete,
  id: 'reactions/delete-for-issue-comment',
  path: '/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions/{reaction_id}',
  resources: [commentReaction],
  summary: 'Delete an issue comment reaction',
  access: writesIssuesOrPulls,
});
