// Organization roles: their list, and the members and teams that have them.
import { Type } from 'typebox';
import { everyCredential } from '#access/tokens.ts';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { Nothing } from '#lib/shape.ts';
import { presentTeams, TeamSimple, team } from '#resources/identity/teams/index.ts';
import { organizationRole } from './path-resources.ts';
import { presentRole, presentTeamAssignments, presentUserAssignments } from './present.ts';
import { assignRole, memberHolder, revokeRoles } from './rules.ts';
import { OrganizationRole, TeamRoleAssignment, UserRoleAssignment } from './schemas.ts';
import { getSecurityManagerRole, listRoles, listTeamsGiven, listTeamsWith, listUsersWith } from './store.ts';

const scopes = ['admin:org'] as const;
const readsRoles = {
  permission: 'organization_custom_org_roles:read',
  scopes,
  credentials: everyCredential,
  role: 'owner',
} as const;
const reads = { permission: 'members:read', scopes, credentials: everyCredential, role: 'owner' } as const;
const writes = { permission: 'members:write', scopes, credentials: everyCredential, role: 'owner' } as const;

export const listOrganizationRoles = endpoint({
  id: 'orgs/list-org-roles',
  method: 'GET',
  path: '/orgs/{org}/organization-roles',
  summary: 'Get all organization roles for an organization',
  access: readsRoles,
  replies: { 200: Type.Object({ total_count: Type.Integer(), roles: Type.Array(OrganizationRole) }) },
  async handle({ db, at, links }) {
    const roles = await listRoles(db, at.org.id);
    return { total_count: roles.length, roles: roles.map((row) => presentRole(links, at.org, row)) };
  },
});

export const getOrganizationRole = endpoint({
  id: 'orgs/get-org-role',
  method: 'GET',
  path: '/orgs/{org}/organization-roles/{role_id}',
  resources: [organizationRole],
  summary: 'Get an organization role',
  access: readsRoles,
  replies: { 200: OrganizationRole },
  async handle({ at, links }) {
    return presentRole(links, at.org, at.role);
  },
});

export const listRoleUsers = endpoint({
  id: 'orgs/list-org-role-users',
  method: 'GET',
  path: '/orgs/{org}/organization-roles/{role_id}/users',
  resources: [organizationRole],
  summary: 'List users that are assigned to an organization role',
  access: reads,
  paging: pages(),
  replies: { 200: Type.Array(UserRoleAssignment) },
  async handle({ scope, db, at, page }) {
    return mapRows(await listUsersWith(db, at.org.id, at.role.id, page), (rows) => presentUserAssignments(scope, rows));
  },
});

export const listRoleTeams = endpoint({
  id: 'orgs/list-org-role-teams',
  method: 'GET',
  path: '/orgs/{org}/organization-roles/{role_id}/teams',
  resources: [organizationRole],
  summary: 'List teams that are assigned to an organization role',
  access: reads,
  paging: pages(),
  replies: { 200: Type.Array(TeamRoleAssignment) },
  async handle({ scope, db, at, page }) {
    return mapRows(await listTeamsWith(db, at.org.id, at.role.id, page), (rows) => presentTeamAssignments(scope, rows));
  },
});

export const assignRoleToUser = endpoint({
  id: 'orgs/assign-user-to-org-role',
  method: 'PUT',
  path: '/orgs/{org}/organization-roles/users/{username}/{role_id}',
  resources: [organizationRole],
  summary: 'Assign an organization role to a user',
  access: writes,
  refuses: [422],
  replies: { 204: Nothing },
  async handle({ change, at, action }) {
    await change(async (scope) => assignRole(scope, action, await memberHolder(scope, at.org, at.user), at.role));
  },
});

export const revokeRoleOfUser = endpoint({
  id: 'orgs/revoke-org-role-user',
  method: 'DELETE',
  path: '/orgs/{org}/organization-roles/users/{username}/{role_id}',
  resources: [organizationRole],
  summary: 'Remove an organization role from a user',
  access: writes,
  replies: { 204: Nothing },
  async handle({ change, at, action }) {
    await change((scope) => revokeRoles(scope, action, { user: at.user.id }, at.role));
  },
});

export const revokeRolesOfUser = endpoint({
  id: 'orgs/revoke-all-org-roles-user',
  method: 'DELETE',
  path: '/orgs/{org}/organization-roles/users/{username}',
  summary: 'Remove all organization roles for a user',
  access: writes,
  replies: { 204: Nothing },
  async handle({ change, at, action }) {
    await change((scope) => revokeRoles(scope, action, { user: at.user.id }));
  },
});

export const assignRoleToTeam = endpoint({
  id: 'orgs/assign-team-to-org-role',
  method: 'PUT',
  path: '/orgs/{org}/organization-roles/teams/{team_slug}/{role_id}',
  resources: [team, organizationRole],
  summary: 'Assign an organization role to a team',
  access: writes,
  refuses: [422],
  replies: { 204: Nothing },
  async handle({ change, at, action }) {
    await change((scope) => assignRole(scope, action, { team: at.team.id }, at.role));
  },
});

export const revokeRoleOfTeam = endpoint({
  id: 'orgs/revoke-org-role-team',
  method: 'DELETE',
  path: '/orgs/{org}/organization-roles/teams/{team_slug}/{role_id}',
  resources: [team, organizationRole],
  summary: 'Remove an organization role from a team',
  access: writes,
  replies: { 204: Nothing },
  async handle({ change, at, action }) {
    await change((scope) => revokeRoles(scope, action, { team: at.team.id }, at.role));
  },
});

export const revokeRolesOfTeam = endpoint({
  id: 'orgs/revoke-all-org-roles-team',
  method: 'DELETE',
  path: '/orgs/{org}/organization-roles/teams/{team_slug}',
  resources: [team],
  summary: 'Remove all organization roles for a team',
  access: writes,
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope, { team }) => revokeRoles(scope, action, { team: team.id }));
  },
});

// Security managers are the teams with the predefined role of that name.

const administers = {
  permission: 'organization_administration:write',
  scopes: ['write:org'],
  credentials: everyCredential,
  role: 'owner',
} as const;

export const listSecurityManagerTeams = endpoint({
  id: 'orgs/list-security-manager-teams',
  method: 'GET',
  path: '/orgs/{org}/security-managers',
  summary: 'List security manager teams',
  access: {
    permission: 'organization_administration:read',
    scopes: ['read:org'],
    credentials: everyCredential,
    role: 'owner',
    orRole: 'security_manager',
  },
  replies: { 200: Type.Array(TeamSimple) },
  async handle({ scope, db, at }) {
    const role = await getSecurityManagerRole(db);
    const presented = await presentTeams(scope, await listTeamsGiven(db, at.org.id, role.id));
    return presented.map(({ parent: _, ...team }) => team);
  },
});

export const addSecurityManagerTeam = endpoint({
  id: 'orgs/add-security-manager-team',
  method: 'PUT',
  path: '/orgs/{org}/security-managers/teams/{team_slug}',
  resources: [team],
  summary: 'Add a security manager team',
  access: administers,
  refuses: [422],
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change(async (scope, { team }) => assignRole(scope, action, { team: team.id }, await getSecurityManagerRole(scope.tx)));
  },
});

export const removeSecurityManagerTeam = endpoint({
  id: 'orgs/remove-security-manager-team',
  method: 'DELETE',
  path: '/orgs/{org}/security-managers/teams/{team_slug}',
  resources: [team],
  summary: 'Remove a security manager team',
  access: administers,
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change(async (scope, { team }) =>
      revokeRoles(scope, action, { team: team.id }, await getSecurityManagerRole(scope.tx)),
    );
  },
});
