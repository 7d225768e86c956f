import type { RepositoryAction } from '#access/action.ts';
import { reaches } from '#access/roles.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { getOrThrow } from '#lib/collections.ts';
import { forbidden } from '#lib/refusal.ts';
import type { Reactable } from '#resources/collaboration/reactions/index.ts';
import { countIssueReaction, type IssueRow, loadIssues } from '../store.ts';
import { type CommentRow, countCommentReaction } from './store.ts';

/** Where the conversation is locked, only those who may write to the repository can react. */
function checkNotLocked({ repo, by }: RepositoryAction, issue: IssueRow): void {
  if (issue.locked && by.grant.kind !== 'installation' && !reaches(repo.role, 'write'))
    throw forbidden('Unable to create reaction because issue is locked.');
}

type AtIssue = { issue: IssueRow };
type AtComment = { comment: CommentRow };

export const subjectOfIssue = ({ issue }: AtIssue) => ({ issue: issue.id });
export const subjectOfComment = ({ comment }: AtComment) => ({ comment: comment.id });

/** An issue, if the caller may react to it. */
export async function reactableIssue(scope: WriteScope, action: RepositoryAction, { issue }: AtIssue): Promise<Reactable> {
  checkNotLocked(action, issue);
  return {
    subject: subjectOfIssue({ issue }),
    issue: issue.id,
    count: (content, by) => countIssueReaction(scope.tx, issue.id, content, by),
  };
}

/** A comment, if the caller may react to it. */
export async function reactableComment(scope: WriteScope, action: RepositoryAction, { comment }: AtComment): Promise<Reactable> {
  checkNotLocked(action, getOrThrow(await loadIssues(scope.tx, [comment.issue_id]), comment.issue_id));
  return {
    subject: subjectOfComment({ comment }),
    issue: comment.issue_id,
    count: (content, by) => countCommentReaction(scope.tx, comment.id, content, by),
  };
}
