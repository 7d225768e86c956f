export { checkMaintains } from './managing.ts';
export { team, teamById } from './path-resources.ts';
export { presentFullTeams, presentTeams } from './present.ts';
export {
  changeTeam,
  createTeam,
  deleteTeam,
  lockTeam,
  setTeamMember,
  setTeamRole,
  teamVisibility,
  unsetTeamMember,
  unsetTeamRole,
} from './rules.ts';
export { Team, TeamSimple } from './schemas.ts';
export { slugOf } from './slug.ts';
export {
  findTeam,
  findVisibleTeams,
  giveTeamAccess,
  keepVisible,
  listRolesByTeams,
  listTeamsAfter,
  listTeamsOfInvitation,
  loadTeamMembers,
  loadTeamRoles,
  loadTeams,
  loadVisibleTeams,
  putTeamRole,
  removeRepositoryFromTeams,
  removeTeamRole,
  removeTeamsOf,
  type TeamMember,
  type TeamName,
  type TeamRole,
  type TeamRow,
  type TeamVisibility,
} from './store.ts';
