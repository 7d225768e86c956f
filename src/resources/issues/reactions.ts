import type { RepositoryAction } from '#access/action.ts';
import { reaches } from '#access/roles.ts';
import type { Tx } from '#database/connect.ts';
import { getOrThrow } from '#lib/collections.ts';
import { forbidden } from '#lib/refusal.ts';
import type { Held } from '#resources/reactions/index.ts';
import { type CommentWords, getHeldComment } from './comments.ts';
import { getHeldIssue, type IssueWords } from './rules.ts';
import { type IssueRow, loadIssues } from './store.ts';

/** Where the conversation is locked, only those who may write to the repository can react. */
function checkOpen({ repo, by }: RepositoryAction, issue: IssueRow): void {
  if (issue.locked && by.grant.kind !== 'installation' && !reaches(repo.role, 'write'))
    throw forbidden('Unable to create reaction because issue is locked.');
}

/** An issue to react to, with its row locked. */
export async function findReactableIssueForUpdate(tx: Tx, action: RepositoryAction, at: IssueWords): Promise<Held> {
  const issue = await getHeldIssue(tx, at);
  checkOpen(action, issue);
  return { subject: { issue: issue.id }, issue: issue.id };
}

/** A comment to react to, with its row locked. */
export async function findReactableCommentForUpdate(tx: Tx, action: RepositoryAction, at: CommentWords): Promise<Held> {
  const comment = await getHeldComment(tx, at);
  checkOpen(action, getOrThrow(await loadIssues(tx, [comment.issue_id]), comment.issue_id));
  return { subject: { comment: comment.id }, issue: comment.issue_id };
}
