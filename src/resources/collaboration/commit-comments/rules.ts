import type { RepositoryAction } from '#access/action.ts';
import { reaches } from '#access/roles.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { inRepository } from '#events/scope.ts';
import type { Oid } from '#git/objects/oid.ts';
import { forbidden, invalid } from '#lib/refusal.ts';
import { recordMentions, type TextAction } from '#resources/collaboration/issues/index.ts';
import type { NewCommitComment } from './schemas.ts';
import { type CommitCommentRow, insertComment, removeComment, updateComment } from './store.ts';

/** Comments on a commit, on one of its files, or on a line. */
export async function commentOnCommit(
  scope: WriteScope,
  action: TextAction,
  commit: Oid,
  wanted: NewCommitComment,
): Promise<CommitCommentRow> {
  const { repo, by, now } = action;
  const { body, path = null, position = null, line = null } = wanted;
  if (path === null && (position !== null || line !== null)) throw invalid('CommitComment', 'path', 'missing_field');
  const row = await insertComment(scope.tx, {
    repository_id: repo.id,
    commit_sha: commit,
    author_id: by.account.id,
    body,
    path,
    position,
    line,
    created_at: now,
    updated_at: now,
  });
  await record(scope.tx, { ...inRepository(action), kind: 'commit_comment.created', data: { comment: row.id } });
  await recordMentions(scope, action, { commit, comment: row.id, after: body });
  return row;
}

/** Authors may change their own comments. Users with write access may change all. */
function checkMayChange({ repo, by }: RepositoryAction, comment: CommitCommentRow): void {
  if (comment.author_id !== by.account.id && by.grant.kind !== 'installation' && !reaches(repo.role, 'write'))
    throw forbidden('Must have admin rights to Repository.');
}

/** Changes the text of a comment. */
export async function changeComment(
  scope: WriteScope,
  action: TextAction,
  comment: CommitCommentRow,
  body: string,
): Promise<CommitCommentRow> {
  checkMayChange(action, comment);
  if (comment.body === body) return comment;
  const row = await updateComment(scope.tx, comment.id, body, action.now);
  await record(scope.tx, { ...inRepository(action), kind: 'commit_comment.edited', data: { comment: comment.id } });
  const { id, commit_sha, body: before } = comment;
  await recordMentions(scope, action, { commit: commit_sha, comment: id, before, after: body });
  return row;
}

export async function deleteComment(scope: WriteScope, action: RepositoryAction, comment: CommitCommentRow): Promise<void> {
  checkMayChange(action, comment);
  await removeComment(scope.tx, comment.id);
  await record(scope.tx, { ...inRepository(action), kind: 'commit_comment.deleted', data: { comment: comment.id } });
}
