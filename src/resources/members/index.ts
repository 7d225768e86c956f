export { putMembership } from './store.ts';
