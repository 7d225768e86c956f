export { csrfOf, isCsrfOf } from './csrf.ts';
export { fieldsOf } from './fields.ts';
export { ensureFirstAdministrator, offerFirstStart } from './first-start.ts';
export { messagePage } from './pages.ts';
export { hashPassword } from './passwords.ts';
export { sendPage } from './replies.ts';
export { agree, changePassword, exchangeCode, type Outcome } from './rules.ts';
export {
  isOwnOrigin,
  localPath,
  mustChangePassword,
  presentSession,
  type Session,
  sessionOf,
  targetsBeyond,
  toPassword,
  toSignIn,
} from './sessions.ts';
export { addWebRoutes } from './web-routes.ts';
