import type { RepositoryAction } from '#access/action.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import type { Reactable } from '#resources/collaboration/reactions/index.ts';
import { countReaction, type ReviewCommentRow } from './store.ts';

type AtComment = { comment: ReviewCommentRow };

export const subjectOf = ({ comment }: AtComment) => ({ review_comment: comment.id });

/** A comment, which everybody who reads it may react to. */
export const reactable = async ({ tx }: WriteScope, _action: RepositoryAction, { comment }: AtComment): Promise<Reactable> => ({
  subject: subjectOf({ comment }),
  issue: comment.issue_id,
  count: (content, by) => countReaction(tx, comment.id, content, by),
});
