export { hashPassword } from './passwords.ts';
export { addOAuth } from './routes.ts';
export { setPasswordHash } from './store.ts';
