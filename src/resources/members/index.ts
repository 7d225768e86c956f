export { endMembership, type OfMember, seesConcealed, withdrawRoles } from './rules.ts';
export { findMembership, findMembershipForUpdate, lockMemberships, putMembership } from './store.ts';
