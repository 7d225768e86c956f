export {
  insertImportedDependencies,
  insertImportedSubIssues,
  loadBlocking,
  loadSubIssues,
  type RelatedIssue,
} from './archive-store.ts';
export { endRelations } from './ending.ts';
export { relationLimits } from './limits.ts';
export { lockRelations } from './relations.ts';
export { ShownRelation } from './schemas.ts';
export { presentRelations } from './shown.ts';
