import { pathResource } from '#endpoint/path-resource.ts';
import { idOf } from '#endpoint/path-words.ts';
import { reactionOf } from '#resources/collaboration/reactions/index.ts';
import { subjectOf } from './reactions.ts';
import { findCommentForUpdate, selectComment } from './store.ts';

/** A comment on any commit of a repository, by its id. */
export const commitComment = pathResource({
  name: 'comment',
  words: { comment_id: idOf('commit_comments') },
  below: 'repo',
  query: ({ db, at }, { comment_id }) => selectComment(db, at.repo.id, comment_id),
  lock: (tx, at) => findCommentForUpdate(tx, at.comment),
});

/** A reaction to such a comment, by its id. */
export const commitCommentReaction = reactionOf(commitComment, subjectOf);
