export {
  firstReview,
  insertImportedReviewComments,
  insertImportedReviews,
  listCommentsOfRepositoryAfter,
  listReviewsAfter,
  type ReviewKey,
  type SubmittedComment,
  type SubmittedReview,
  setConversations,
} from './archive-store.ts';
export { areInOneHunk, findLine, findPosition, type Patch, parsePatch, type Side, sides } from './diff-lines.ts';
export { prepareDraft } from './drafts.ts';
export { reviewLimits } from './limits.ts';
export { presentReviewComments, presentReviews } from './present.ts';
export { createReview } from './rules.ts';
export { Review, ReviewComment } from './schemas.ts';
export { loadConversations, loadDecidingReviews, loadReviewers, loadReviews } from './store.ts';
