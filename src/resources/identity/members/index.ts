export {
  type CollaboratorRow,
  type InvitationRow,
  putCollaborator,
  putInvitation,
  type RoleInRepository,
  raiseCollaborator,
  removeAllDirectRoles,
  removeCollaborator,
  removeInvitation,
  removeInvitationsBy,
  updateInvitation,
} from './collaborator-store.ts';
export { organizationEvent } from './events.ts';
export { type CountedInvitation, findInvitationTo, type Invitee, listInvitations, selectInvitation } from './invitation-store.ts';
export { cancelInvitation, invite, lockInvitation } from './invitations.ts';
export { presentInvitation, presentInvitations } from './present.ts';
export { addMember, endMembership, type MemberAction, seesConcealed, withdrawRoles } from './rules.ts';
export { invitationRoles, OrganizationInvitation } from './schemas.ts';
export {
  findFormerRole,
  findMembership,
  findMembershipForUpdate,
  listMembersAfter,
  listOrganizationIdsOf,
  listOwnedOrganizations,
  lockOrganization,
  putMembership,
  removeMembersOf,
} from './store.ts';
export {
  insertTeamInvitations,
  putTeamInvitation,
  putTeamMember,
  removeTeamInvitation,
  removeTeamMember,
  type TeamMemberRole,
} from './team-member-store.ts';
