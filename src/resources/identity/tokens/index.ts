export { reviewTokenRequests, revokeTokenGrants } from './approvals.ts';
export { changeToken, createFineGrainedToken } from './fine-grained.ts';
export { byScope, selectionWord } from './present.ts';
export {
  listGrantedRepositories,
  listRequestedRepositories,
  listTokenGrants,
  listTokenRequests,
  selectTokenGrant,
  selectTokenRequest,
  type TokenFilter,
  type TokenGrantRow,
  type TokenRequestRow,
} from './request-store.ts';
export { checkPermissions, createClassicToken, ensureAdminToken, type NewToken, revokeToken, stored } from './rules.ts';
export { Permissions, PermissionsByScope } from './schemas.ts';
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
