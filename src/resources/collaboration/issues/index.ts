export {
  type ArchivedEvent,
  type EventKey,
  firstEvent,
  listCommentsAfter,
  listIssueEventsAfter,
  listIssuesAfter,
  type OfIssue,
} from './archive/exports.ts';
export {
  findIssueIds,
  type ImportedIssue,
  insertImportedComments,
  insertImportedEvents,
  insertImportedIssues,
  issueTotals,
  setDuplicates,
} from './archive/import-store.ts';
export { assignableTo, findAssignable } from './assignment/store.ts';
export { commentOn as commentOnIssue } from './comments/comments.ts';
export { type CommentRow, commentRows, loadComments } from './comments/store.ts';
export { preloadConversation } from './conversation-rows.ts';
export { assigneeOf, formerTexts, labelOf, milestoneOf, presentedIssues } from './events.ts';
export { issueLimits } from './limits.ts';
export { issue } from './path-resources.ts';
export { presentComments, presentIssue, presentIssues } from './present.ts';
export { recordMentions, recordReferences, type TextAction } from './references/references.ts';
export { closeIssues } from './references/store.ts';
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
export { loadAutolinks, loadKnown } from './texts/known.ts';
export { presentTexts, textMedia } from './texts/texts.ts';
export { eventOf, recordActivity, viaApp } from './timeline/activity.ts';
export type { RelationEventKind } from './timeline/event-kinds.ts';
export { presentTimelineEvents } from './timeline/present.ts';
export {
  type IssueEventData,
  insertIssueEvents,
  issueEventRows,
  maySeeRestricted,
  type NewIssueEvent,
} from './timeline/store.ts';
