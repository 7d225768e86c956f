export { fieldsOf } from './fields.ts';
export { messagePage } from './pages.ts';
export { hashPassword } from './passwords.ts';
export { sendPage } from './replies.ts';
export { agree, changePassword, exchangeCode, type Outcome } from './rules.ts';
export { csrfOf, sessionOf, toSignIn } from './sessions.ts';
export { addWebRoutes } from './web-routes.ts';
