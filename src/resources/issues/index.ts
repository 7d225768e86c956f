export { type CommentRow, findComment } from './comment-store.ts';
export { loadKnown } from './known.ts';
export { presentComments, presentIssues } from './present.ts';
export { Issue, IssueComment } from './schemas.ts';
export { loadIssues } from './store.ts';
