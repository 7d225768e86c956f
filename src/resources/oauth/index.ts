export { hashPassword } from './passwords.ts';
export { addOAuth } from './routes.ts';
export { agree, changePassword, exchangeCode, type Outcome } from './rules.ts';
