// Conversations on the diff of a pull request are resolved, and no longer so.

import type { RepositoryAction } from '#access/action.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { inRepository } from '#events/scope.ts';
import { forbidden, orNotFound } from '#lib/refusal.ts';
import { findPullForUpdate } from '#resources/collaboration/pulls/index.ts';
import { mayWrite } from './rules.ts';
import { type ReviewCommentRow, updateResolution } from './store.ts';

/**
 * Resolves the conversation that a comment began, or takes that back. Repeating it changes nothing.
 * @throws Refusal 403 to whoever may neither write to the repository nor is the author of the pull request
 */
export async function setResolution(
  scope: WriteScope,
  action: RepositoryAction,
  conversation: ReviewCommentRow,
  isResolved: boolean,
): Promise<void> {
  const { by, now } = action;
  const { id, issue_id: issue } = conversation;
  const pull = orNotFound(await findPullForUpdate(scope.tx, { id: issue }));
  if (pull.author_id !== by.account.id && !mayWrite(action))
    throw forbidden('Must have write access to the repository, or be the author of the pull request.');
  if (isResolved === (conversation.resolved_at !== null)) return;
  const resolution = isResolved ? { resolved_at: now, resolved_by: by.account.id } : { resolved_at: null, resolved_by: null };
  await updateResolution(scope.tx, id, resolution);
  await record(scope.tx, {
    ...inRepository(action),
    kind: isResolved ? 'pull_request_review_thread.resolved' : 'pull_request_review_thread.unresolved',
    data: { issue, conversation: id },
  });
}
