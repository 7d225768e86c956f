export { eventOf, recordActivity, viaApp } from './activity.ts';
export { assignableTo, findAssignable } from './assignee-store.ts';
export { type CommentRow, loadComments } from './comment-store.ts';
export { type IssueEventData, insertIssueEvents, loadIssueEvents, maySeeRestricted, type NewIssueEvent } from './event-store.ts';
export { assigneeOf, formerTexts, labelOf, milestoneOf, presentedIssues } from './events.ts';
export {
  type ArchivedEvent,
  type EventKey,
  firstEvent,
  listCommentsAfter,
  listIssueEventsAfter,
  listIssuesAfter,
  type OfIssue,
} from './exports.ts';
export {
  findIssueIds,
  type ImportedIssue,
  insertImportedComments,
  insertImportedEvents,
  insertImportedIssues,
  issueTotals,
  setDuplicates,
} from './import-store.ts';
export type { RelationEventKind } from './issue-event-kinds.ts';
export { loadAutolinks, loadKnown } from './known.ts';
export { issue } from './path-resources.ts';
export { presentComments, presentIssue, presentIssues } from './present.ts';
export { presentTimelineEvents } from './present-events.ts';
export { closeIssues } from './reference-store.ts';
export { recordMentions, recordReferences, type TextAction } from './references.ts';
export { prepareReopening } from './reopening.ts';
export { changeIssue, checkHasIssues, checkHasPulls } from './rules.ts';
export {
  associations,
  CrossReference,
  Issue,
  lockReasons,
  renderedTexts,
  stateReasons,
  states,
  TimelineComment,
  TimelineCommit,
  TimelineEvent,
} from './schemas.ts';
export { enqueueImportedIssues, enqueueIndexing } from './search-jobs.ts';
export {
  findIssueForUpdate,
  findReadableIssue,
  type IssueRow,
  insertIssue,
  issueNumbers,
  loadAssociations,
  loadAttached,
  loadIssues,
  selectIssue,
  touchIssues,
  updateIssue,
} from './store.ts';
export { presentTexts, textMedia } from './texts.ts';
