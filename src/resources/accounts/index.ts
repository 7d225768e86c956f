export { presentOrganization, presentUser, presentUserOrNull } from './present.ts';
export { checkLogin, createUser } from './rules.ts';
export { OrganizationSimple, User } from './schemas.ts';
export {
  countRepositories,
  findAccountById,
  findAccountsByLogin,
  findUsersByLogin,
  insertAccount,
  isLoginTaken,
  loadAccounts,
  loadAccountsByEmail,
  removeAccount,
  updateAccount,
} from './store.ts';
