export { environment } from './path-resources.ts';
export { presentNamedEnvironment, presentReviewers } from './present.ts';
export { type Approval, counts, loadProtections, type Protection, type Waiting, waitsFor } from './protection.ts';
export { checkEnvironmentName, ensureEnvironment, findBranchProtection, takesRef } from './rules.ts';
export { EnvironmentReviewer } from './schemas.ts';
export { type EnvironmentRow, findEnvironment, findEnvironmentForUpdate, loadEnvironments } from './store.ts';
