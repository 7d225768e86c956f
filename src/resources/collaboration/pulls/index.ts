export type { AutomaticReviewer } from './automatic-reviewer.ts';
export { maxCommits, mergedTree } from './changes.ts';
export { insertImportedCommits, loadPullCommits, type PullCommit } from './commit-store.ts';
export { movedBranches } from './heads.ts';
export { enqueueImportedPulls } from './jobs.ts';
export { reviewerLimits } from './limits.ts';
export { mergeNames } from './merge-names.ts';
export { writeMerge } from './merging.ts';
export { pull } from './path-resources.ts';
export { presentPulls } from './present.ts';
export { writeHeadRef } from './refs.ts';
export {
  insertImportedRequests,
  loadRequests,
  type Reviewer,
  type Reviewers,
  type ReviewRequest,
  teamReaches,
} from './reviewer-store.ts';
export { removeReviewers, requestReviewers, requestUnasked, withdrawRequest } from './reviewers.ts';
export { changePull, openPull, prepareEnds } from './rules.ts';
export {
  countImportedReviewComments,
  countReviewComments,
  findAuthorsOfMerged,
  findPullForUpdate,
  insertImportedPulls,
  listPullsAfter,
  loadOpenInto,
  loadPulls,
  type PullRow,
  pullRows,
  saveLackingReviews,
  selectPull,
} from './store.ts';
export { loadTestedPull, mergeOfHead } from './tested-pulls.ts';
