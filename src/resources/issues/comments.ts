import { reaches } from '#access/roles.ts';
import type { RepoStep } from '#access/step.ts';
import type { Db, Tx } from '#database/connect.ts';
import { inRepository } from '#events/place.ts';
import { record } from '#events/record.ts';
import type { Id } from '#lib/id.ts';
import { existing, forbidden } from '#lib/refusal.ts';
import { snapshotOf } from '#lib/snapshot.ts';
import { type CommentRow, findComment, holdComment, insertComment, removeComment, updateComment } from './comment-store.ts';
import { checkHasIssues, holdFor } from './rules.ts';
import { viaApp } from './tell.ts';

type OfComment = RepoStep & { id: Id<'issue_comments'> };

/** Comments on an issue. Where the conversation is locked, only those who may write to the repository can. */
export async function commentOn(tx: Tx, step: RepoStep & { number: number; body: string }): Promise<CommentRow> {
  const { repo, by, now, body } = step;
  const issue = await holdFor(tx, repo, step.number);
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
  await record(tx, { ...inRepository(step), kind: 'issue_comment.created', data: { issue: issue.id, comment: comment.id } });
  return comment;
}

/** A comment of a repository. */
export async function getComment(db: Db, { repo, id }: Pick<OfComment, 'repo' | 'id'>): Promise<CommentRow> {
  checkHasIssues(repo);
  return existing(await findComment(db, repo.id, id));
}

/** A comment, locked for a change, that the caller may change: their own, or any for those who may write to the repository. */
async function holdOwn(tx: Tx, { repo, by, id }: OfComment): Promise<CommentRow> {
  checkHasIssues(repo);
  const comment = existing(await holdComment(tx, repo.id, id));
  if (comment.author_id !== by.account.id && by.grant.kind !== 'installation' && !reaches(repo.role, 'write'))
    throw forbidden('Must have admin rights to Repository.');
  return comment;
}

/** Changes the text of a comment. */
export async function changeComment(tx: Tx, step: OfComment & { body: string }): Promise<CommentRow> {
  const comment = await holdOwn(tx, step);
  if (comment.body === step.body) return comment;
  const row = await updateComment(tx, comment.id, step.body, step.now);
  const data = { issue: comment.issue_id, comment: comment.id, changes: { body: { from: comment.body } } };
  await record(tx, { ...inRepository(step), kind: 'issue_comment.edited', data });
  return row;
}

/** Deletes a comment. */
export async function deleteComment(tx: Tx, step: OfComment): Promise<void> {
  const comment = await holdOwn(tx, step);
  await removeComment(tx, comment, step.now);
  const data = { issue: comment.issue_id, comment: comment.id, was: snapshotOf(comment) };
  await record(tx, { ...inRepository(step), kind: 'issue_comment.deleted', data });
}
