export type { CommentRow } from './comment-store.ts';
export { type IssueEventRow, insertIssueEvents } from './event-store.ts';
export { type EventKey, firstEvent, listCommentsAfter, listIssueEventsAfter, listIssuesAfter } from './exports.ts';
export {
  findIssueIds,
  type ImportedIssue,
  insertImportedComments,
  insertImportedEvents,
  insertImportedIssues,
  issueTotals,
} from './import-store.ts';
export { loadKnown } from './known.ts';
export { presentComments, presentIssues } from './present.ts';
export { recordMentions, type TextAction } from './references.ts';
export { associations, Issue, IssueComment, lockReasons, stateReasons, states } from './schemas.ts';
export { enqueueImportedIssues } from './search-jobs.ts';
export { type IssueRow, loadAssociations, loadAttached, loadIssues } from './store.ts';
export { presentTexts, textMedia } from './texts.ts';
