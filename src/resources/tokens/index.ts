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
export { insertToken, insertTokenRepositories, removeTokenByHash, type TokenRow } from './store.ts';
