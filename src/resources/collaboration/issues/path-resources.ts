import { pathResource } from '#endpoint/path-resource.ts';
import { idOf, loginWord, nameWord, numberWord } from '#endpoint/path-words.ts';
import { findFieldValue, findSameFieldValue } from '#resources/collaboration/issue-fields/index.ts';
import { reactionOf } from '#resources/collaboration/reactions/index.ts';
import { findAssignable } from './assignment/store.ts';
import { subjectOfComment, subjectOfIssue } from './comments/reactions.ts';
import { findCommentForUpdate, selectComment } from './comments/store.ts';
import { checkHasIssues, checkHasPulls } from './rules.ts';
import { findIssueForUpdate, findIssueLabel, findIssueLabelById, issueNumbers, selectIssue } from './store.ts';
import { findIssueEvent } from './timeline/store.ts';

/** An issue of a repository, by its number. */
export const issue = pathResource({
  name: 'issue',
  words: { issue_number: numberWord },
  below: 'repo',
  loader: issueNumbers,
  query: ({ db, at }, { issue_number }) => selectIssue(db, at.repo.id, issue_number),
  require: ({ repo }, row) => (row?.is_pull_request ? checkHasPulls(repo) : checkHasIssues(repo)),
  lock: (tx, at) => findIssueForUpdate(tx, at.issue),
});

/** A comment on any issue of a repository, by its id. */
export const comment = pathResource({
  name: 'comment',
  words: { comment_id: idOf('issue_comments') },
  below: 'repo',
  query: ({ db, at }, { comment_id }) => selectComment(db, at.repo.id, comment_id),
  require: ({ repo }, row) => row || checkHasIssues(repo),
  lock: (tx, at) => findCommentForUpdate(tx, at.comment),
});

/** An event of any issue of a repository, by its id. */
export const issueEvent = pathResource({
  name: 'issueEvent',
  words: { event_id: idOf('issue_events') },
  below: 'repo',
  async find({ db, at, viewer }, { event_id }) {
    checkHasIssues(at.repo);
    return findIssueEvent(db, viewer, at.repo, event_id);
  },
});

/** A user who may be assigned to the issues of a repository, by login. */
export const assignee = pathResource({
  name: 'assignee',
  words: { assignee: loginWord },
  below: 'repo',
  async find({ db, at, viewer }, { assignee }) {
    const [account] = await findAssignable(db, at.repo, [assignee], viewer);
    return account;
  },
});

/** A label of an issue, by its name. It locks the issue. */
export const issueLabel = pathResource({
  name: 'issueLabel',
  words: { name: nameWord },
  below: issue,
  find: ({ db, at }, { name }) => findIssueLabel(db, at.issue.id, name),
  lock: async (tx, at) => (await findIssueForUpdate(tx, at.issue)) && findIssueLabelById(tx, at.issue.id, at.issueLabel.id),
});

/** The value of an issue in a field of its organization, by the field's id. It locks the issue. */
export const fieldValue = pathResource({
  name: 'fieldValue',
  words: { issue_field_id: idOf('issue_fields') },
  below: issue,
  find: ({ db, at, viewer }, { issue_field_id }) => findFieldValue(db, viewer, at.issue.id, issue_field_id),
  lock: async (tx, at) => (await findIssueForUpdate(tx, at.issue)) && findSameFieldValue(tx, at.fieldValue),
});

/** A reaction to an issue, by its id. */
export const issueReaction = reactionOf(issue, subjectOfIssue);

/** A reaction to a comment, by its id. */
export const commentReaction = reactionOf(comment, subjectOfComment);
