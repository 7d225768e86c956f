import { pathResource } from '#endpoint/path-resource.ts';
import { idOf, numberWord } from '#endpoint/path-words.ts';
import { checkHasIssues, issueNumbers, selectIssue } from '#resources/collaboration/issues/index.ts';
import { lockRelations } from './relations.ts';
import { findBlocking } from './store.ts';

/** An issue of a repository, by its number, and not a pull request. It locks the relations of all issues of the owner. */
export const relatedIssue = pathResource({
  name: 'issue',
  words: { issue_number: numberWord },
  below: 'repo',
  loader: issueNumbers,
  query: ({ db, at }, { issue_number }) => selectIssue(db, at.repo.id, issue_number).where('is_pull_request', '=', false),
  require: ({ repo }) => checkHasIssues(repo),
  lock: lockRelations,
});

/** An issue that blocks another, by its id. It takes the same lock. */
export const blockingIssue = pathResource({
  name: 'blockingIssue',
  words: { issue_id: idOf('issues') },
  below: relatedIssue,
  find: ({ db, at, viewer }, { issue_id }) => findBlocking(db, viewer, at.issue, issue_id),
  lock: async (tx, at) => (await lockRelations(tx, at)) && findBlocking(tx, 'everybody', at.issue, at.blockingIssue.id),
});
