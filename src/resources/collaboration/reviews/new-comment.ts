import type { Scope, WriteScope } from '#endpoint/scope.ts';
import { asId } from '#lib/id.ts';
import { invalid } from '#lib/refusal.ts';
import type { TextAction } from '#resources/collaboration/issues/index.ts';
import type { PullRow } from '#resources/collaboration/pulls/index.ts';
import { type Draft, prepareDraft } from './drafts.ts';
import { commentOnDiff, replyTo } from './rules.ts';
import type { NewReviewComment } from './schemas.ts';
import { findCommentOfPull, type ReviewCommentRow } from './store.ts';

/** Finds the location of a new comment in Git, before the transaction. A reply has none of its own. */
export async function prepareComment(scope: Scope, pull: PullRow, wanted: NewReviewComment): Promise<Draft | undefined> {
  const { in_reply_to, commit_id, path } = wanted;
  if (in_reply_to !== undefined) return undefined;
  const missing = (field: string) => invalid('PullRequestReviewComment', field, 'missing_field');
  if (commit_id === undefined) throw missing('commit_id');
  if (path === undefined) throw missing('path');
  return prepareDraft(scope, pull, { commit_id, locations: [{ ...wanted, path }] });
}

/** Creates a comment on the diff, or a reply where there is no draft. */
export async function createComment(
  scope: WriteScope,
  action: TextAction,
  pull: PullRow,
  draft: Draft | undefined,
  { body, in_reply_to }: NewReviewComment,
): Promise<ReviewCommentRow> {
  if (draft) return commentOnDiff(scope, action, pull, draft, body);
  const to = await findCommentOfPull(scope.tx, pull.id, asId(in_reply_to ?? 0));
  if (!to) throw invalid('PullRequestReviewComment', 'in_reply_to', 'invalid');
  return replyTo(scope, action, pull, to, body);
}
