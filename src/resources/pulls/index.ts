export { presentPayloadPull } from './events.ts';
export { enqueueImportedPulls } from './jobs.ts';
export { pull } from './path-resources.ts';
export { presentPulls } from './present.ts';
export { type Reviewers, teamReaches } from './reviewer-store.ts';
export { requestUnasked, withdrawRequest } from './reviewers.ts';
export { PullRequest } from './schemas.ts';
export {
  countReviewComments,
  findPullForUpdate,
  insertImportedPulls,
  listPullsAfter,
  loadPulls,
  type PullRow,
} from './store.ts';
