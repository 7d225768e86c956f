export { type CommentRow, findComment } from './comment-store.ts';
export { presentComments, presentIssues } from './present.ts';
export { eventOf, getIssue, holdFor, openIssue, type Step, tellAll } from './rules.ts';
export { Issue, IssueComment } from './schemas.ts';
export { findIssue, type IssueRow, loadIssues } from './store.ts';
