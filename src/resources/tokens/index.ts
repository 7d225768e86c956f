export {
  checkPermissions,
  checkScopes,
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
  removeToken,
  removeTokenByHash,
  removeTokensNamed,
  type TokenRow,
} from './store.ts';
