import { pathResource } from '#endpoint/path-resource.ts';
import { idOf } from '#endpoint/path-words.ts';
import { issue } from '#resources/issues/index.ts';
import { lockRelations } from './relations.ts';
import { findBlocking } from './store.ts';

/** An issue of a repository, by its number. Its lock is that of the relations of all issues of the owner. */
export const relatedIssue = pathResource({ ...issue, lock: lockRelations });

/** An issue that blocks another, by its id. Its lock is the same. */
export const blockingIssue = pathResource({
  name: 'blockingIssue',
  words: { issue_id: idOf('issues') },
  below: relatedIssue,
  find: ({ db, at, viewer }, { issue_id }) => findBlocking(db, viewer, at.issue, issue_id),
  lock: async (tx, at) => (await lockRelations(tx, at)) && findBlocking(tx, 'everybody', at.issue, at.blockingIssue.id),
});
