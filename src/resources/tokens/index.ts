export {
  checkPermissions,
  createClassicToken,
  createFineGrainedToken,
  ensureAdminToken,
  type NewToken,
  revokeToken,
  stored,
} from './rules.ts';
export { Permissions } from './schemas.ts';
export {
  insertToken,
  insertTokenRepositories,
  noteTokenUse,
  removeExpiredTokens,
  removeRepositoryFromTokens,
  removeToken,
  removeTokensBeyond,
  removeTokensNamed,
  type TokenRow,
} from './store.ts';
