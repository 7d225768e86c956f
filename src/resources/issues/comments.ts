import type { RepositoryAction } from '#access/action.ts';
import { reaches } from '#access/roles.ts';
import type { Repo } from '#access/viewer.ts';
import type { Db, Tx } from '#database/connect.ts';
import { record } from '#events/record.ts';
import { inRepository } from '#events/scope.ts';
import type { Id } from '#lib/id.ts';
import { forbidden, orNotFound } from '#lib/refusal.ts';
import { snapshotOf } from '#lib/snapshot.ts';
import { viaApp } from './activity.ts';
import {
  type CommentRow,
  findComment,
  findCommentForUpdate,
  insertComment,
  removeComment,
  updateComment,
} from './comment-store.ts';
import { checkHasIssues } from './rules.ts';
import type { IssueRow } from './store.ts';

/** Comments on an issue. Where the conversation is locked, only those who may write to the repository can. */
export async function commentOn(tx: Tx, action: RepositoryAction, issue: IssueRow, body: string): Promise<CommentRow> {
  const { repo, by, now } = action;
  if (issue.locked && by.grant.kind !== 'installation' && !reaches(repo.role, 'write'))
    throw forbidden('Unable to create comment because issue is locked.');
  const comment = await insertComment(tx, {
    repository_id: repo.id,
    issue_id: issue.id,
    author_id: by.account.id,
    body,
    via_app_id: viaApp(by),
    created_at: now,
    updated_at: now,
  });
  await record(tx, { ...inRepository(action), kind: 'issue_comment.created', data: { issue: issue.id, comment: comment.id } });
  return comment;
}

/** The words of a path that name a comment. */
export type CommentWords = { repo: Repo; comment_id: Id<'issue_comments'> };

/** The comment that a path names. */
export async function getComment(db: Db, { repo, comment_id }: CommentWords): Promise<CommentRow> {
  checkHasIssues(repo);
  return orNotFound(await findComment(db, repo.id, comment_id));
}

/** The comment that a path names, its row locked for a change. */
export async function getHeldComment(tx: Tx, { repo, comment_id }: CommentWords): Promise<CommentRow> {
  checkHasIssues(repo);
  return orNotFound(await findCommentForUpdate(tx, repo.id, comment_id));
}

/** One's own comments may be changed, and any by those who may write to the repository. */
function checkMayChange({ repo, by }: RepositoryAction, comment: CommentRow): void {
  if (comment.author_id !== by.account.id && by.grant.kind !== 'installation' && !reaches(repo.role, 'write'))
    throw forbidden('Must have admin rights to Repository.');
}

/** Changes the text of a comment. */
export async function changeComment(tx: Tx, action: RepositoryAction, comment: CommentRow, body: string): Promise<CommentRow> {
  checkMayChange(action, comment);
  if (comment.body === body) return comment;
  const row = await updateComment(tx, comment.id, body, action.now);
  const data = { issue: comment.issue_id, comment: comment.id, changes: { body: { from: comment.body } } };
  await record(tx, { ...inRepository(action), kind: 'issue_comment.edited', data });
  return row;
}

/** Deletes a comment. */
export async function deleteComment(tx: Tx, action: RepositoryAction, comment: CommentRow): Promise<void> {
  checkMayChange(action, comment);
  await removeComment(tx, comment, action.now);
  const data = { issue: comment.issue_id, comment: comment.id, was: snapshotOf(comment) };
  await record(tx, { ...inRepository(action), kind: 'issue_comment.deleted', data });
}
