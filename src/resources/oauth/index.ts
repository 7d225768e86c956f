export { hashPassword } from './passwords.ts';
export { addOAuth } from './routes.ts';
export { agree, exchangeCode, type Outcome } from './rules.ts';
export { setPasswordHash } from './store.ts';
