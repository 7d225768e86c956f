export { endMembership, seesConcealed, withdrawRoles } from './rules.ts';
export { findMembership, putMembership } from './store.ts';
