export { type EmailRow, loadAccountsByEmail, loadEmails, loadVerifiedEmails } from './email-store.ts';
export { stateEmails, verifyEarlierEmails, verifyEmail } from './emails.ts';
export { presentOrganization, presentUser, presentUserOrNull } from './present.ts';
export { isActionsOwner, isReservedLogin, reservedLogins } from './reserved-logins.ts';
export { checkLogin, createUser, storeKey } from './rules.ts';
export { OrganizationSimple, User } from './schemas.ts';
export {
  countRepositories,
  findAccountById,
  findAccountsByLogin,
  findUsersByLogin,
  getAccountForUpdate,
  insertAccount,
  isLoginTaken,
  type KeyRow,
  keyUseMs,
  listSuspended,
  loadAccounts,
  noteKeyUse,
  removeAccount,
  removeKey,
  updateAccount,
} from './store.ts';
