export { defaultBranchChanges, listWithChangedDefaultBranch } from './changed-default-branch.ts';
export { createPrivateFork, preparePrivateFork } from './copies.ts';
export { removeWithOwner } from './deletion.ts';
export { importRepository } from './imports.ts';
export { identityOf, type PreparedCopy } from './initialize.ts';
export { insertInstallationRepositories } from './installation-store.ts';
export { checkMemberPrivilege } from './member-privileges.ts';
export { findByFullNames, lockForMigration, unlockRepository } from './migrating.ts';
export {
  loadFormerlyNamed,
  loadNamed,
  loadNamedRepositories,
  loadReadableNamedRepositories,
  namedRepositories,
  type RepositoryWithOwner,
} from './named-repositories.ts';
export { presentFullRepository, presentRepositories, presentWithRepositories, simpleRepositoryOf } from './present.ts';
export {
  approvalWith,
  type RepositoryRules,
  type RuleApproval,
  type RuledActor,
  type RuledChange,
  type RuledScope,
} from './ruled-change.ts';
export { createRepository } from './rules.ts';
export { FullRepository, MinimalRepository, SimpleRepository } from './schemas.ts';
export { applySecurity, changeSecurity, disableAlerts, type SecurityChange } from './security.ts';
export { signedOff } from './signoff.ts';
export {
  addImportedIssues,
  addOpenIssues,
  addStars,
  concealRepositories,
  findAnyOwnedForUpdate,
  findInNetwork,
  findOwned,
  findOwnedByNames,
  findRepository,
  hasRepositories,
  loadRepositories,
  lockOwner,
  lockRepository,
  setSize,
  takingIssueNumber,
  updateRepository,
} from './store.ts';
