export { endMembership, type OfMember, seesConcealed, withdrawRoles } from './rules.ts';
export { findMembership, holdMembership, lockMemberships, putMembership } from './store.ts';
