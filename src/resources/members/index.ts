export {
  type CollaboratorRow,
  type InvitationRow,
  putCollaborator,
  putInvitation,
  type RoleInRepository,
  raiseCollaborator,
  removeCollaborator,
  removeInvitation,
  removeInvitationsBy,
  updateInvitation,
} from './collaborator-store.ts';
export { endMembership, type MemberAction, seesConcealed, setMembership, withdrawRoles } from './rules.ts';
export {
  findMembership,
  findMembershipForUpdate,
  listMembersAfter,
  listOrganizationIdsOf,
  lockOrganization,
  putMembership,
} from './store.ts';
export {
  acceptTeamInvitations,
  type Put,
  putTeamInvitation,
  putTeamMember,
  removeTeamInvitation,
  removeTeamMember,
  type TeamMemberRole,
} from './team-member-store.ts';
