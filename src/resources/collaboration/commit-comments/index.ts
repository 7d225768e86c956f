export {
  type CommitCommentRow,
  findComment,
  insertImportedComments as insertImportedCommitComments,
  listCommentsAfter as listCommitCommentsAfter,
  loadPresentIds,
} from './store.ts';
