export {
  checkPermissions,
  createClassicToken,
  createFineGrainedToken,
  ensureAdminToken,
  type NewToken,
  revokeToken,
  stored,
} from './rules.ts';
export {
  insertToken,
  insertTokenRepositories,
  noteTokenUse,
  removeToken,
  removeTokensBeyond,
  removeTokensNamed,
  type TokenRow,
} from './store.ts';
