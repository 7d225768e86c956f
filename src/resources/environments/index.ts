export { environment } from './path-resources.ts';
export {
  type Approval,
  type Attempt,
  type BranchProtection,
  loadProtection,
  mayDeploy,
  type Protection,
  type Waiting,
  waitsFor,
} from './protection.ts';
export { checkEnvironmentName, ensureEnvironment, findBranchProtection, takesRef } from './rules.ts';
export { type EnvironmentRow, findEnvironment, findEnvironmentForUpdate } from './store.ts';
