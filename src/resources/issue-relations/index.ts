export {
  insertImportedDependencies,
  insertImportedSubIssues,
  loadBlocking,
  loadSubIssues,
  type RelatedIssue,
} from './archive-store.ts';
