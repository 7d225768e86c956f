export { type CommentRow, findComment } from './comment-store.ts';
export { presentComments, presentIssues } from './present.ts';
export { getHeldIssue, getIssue, openIssue } from './rules.ts';
export { Issue, IssueComment } from './schemas.ts';
export { findIssue, type IssueRow, loadIssues } from './store.ts';
