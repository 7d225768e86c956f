import type { RepositoryAction } from '#access/action.ts';
import { reaches } from '#access/roles.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { inRepository } from '#events/scope.ts';
import { forbidden } from '#lib/refusal.ts';
import { snapshotOf } from '#lib/snapshot.ts';
import { recordReferences, type TextAction } from '../references/references.ts';
import type { IssueRow } from '../store.ts';
import { viaApp } from '../timeline/activity.ts';
import { insertIssueEvents } from '../timeline/store.ts';
import { type CommentRow, insertComment, removeComment, updateComment } from './store.ts';

/** Comments on an issue. Where the conversation is locked, only those who may write to the repository can. */
export async function commentOn(scope: WriteScope, action: TextAction, issue: IssueRow, body: string): Promise<CommentRow> {
  const { repo, by, now } = action;
  if (issue.locked && by.grant.kind !== 'installation' && !reaches(repo.role, 'write'))
    throw forbidden('Unable to create comment because issue is locked.');
  const comment = await insertComment(scope.tx, {
    repository_id: repo.id,
    issue_id: issue.id,
    author_id: by.account.id,
    body,
    via_app_id: viaApp(by),
    created_at: now,
    updated_at: now,
  });
  await record(scope.tx, {
    ...inRepository(action),
    kind: 'issue_comment.created',
    data: { issue: issue.id, comment: comment.id },
  });
  await recordReferences(scope, action, { issue: issue.id, comment: comment.id, after: body });
  return comment;
}

/** Authors may change their own comments; users who may write to the repository may change all. */
function checkMayChange({ repo, by }: RepositoryAction, comment: CommentRow): void {
  if (comment.author_id !== by.account.id && by.grant.kind !== 'installation' && !reaches(repo.role, 'write'))
    throw forbidden('Must have admin rights to Repository.');
}

/** Changes the text of a comment. */
export async function changeComment(
  scope: WriteScope,
  action: TextAction,
  comment: CommentRow,
  body: string,
): Promise<CommentRow> {
  checkMayChange(action, comment);
  if (comment.body === body) return comment;
  const row = await updateComment(scope.tx, comment.id, body, action.now);
  const data = { issue: comment.issue_id, comment: comment.id, changes: { body: { from: comment.body } } };
  await record(scope.tx, { ...inRepository(action), kind: 'issue_comment.edited', data });
  await recordReferences(scope, action, { issue: comment.issue_id, comment: comment.id, before: comment.body, after: body });
  return row;
}

/** Deletes a comment, which leaves an issue event. */
export async function deleteComment(scope: WriteScope, action: RepositoryAction, comment: CommentRow): Promise<void> {
  checkMayChange(action, comment);
  const { repo, by, now } = action;
  await removeComment(scope.tx, comment, now);
  const context = { repository: repo.id, issue: comment.issue_id, actor: by.account.id, app: viaApp(by), at: now };
  await insertIssueEvents(scope.tx, context, [{ event: 'comment_deleted' }]);
  const data = { issue: comment.issue_id, comment: comment.id, was: snapshotOf(comment) };
  await record(scope.tx, { ...inRepository(action), kind: 'issue_comment.deleted', data });
}
