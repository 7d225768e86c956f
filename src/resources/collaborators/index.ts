export { acceptInvitation } from './invitations.ts';
export { addCollaborator, collaboratorSight, dropCollaborator, effectiveRole } from './rules.ts';
export { findRoleLevel } from './store.ts';
