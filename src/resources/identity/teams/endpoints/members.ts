// Members of teams, and people invited to them. Each endpoint exists by the slug and by the id of a team.
import { Type } from 'typebox';
import { mapEach, mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { endpointVariants } from '#endpoint/variants.ts';
import { notFound } from '#lib/refusal.ts';
import { Nothing, OneOf, withDefault } from '#lib/shape.ts';
import { presentUser, User } from '#resources/identity/accounts/index.ts';
import { listInvitations, OrganizationInvitation, presentInvitations } from '#resources/identity/members/index.ts';
import { maintains } from '../managing.ts';
import { addTeamMember, endTeamMembership, getTeamMembership, setTeamMembership } from '../memberships.ts';
import { team, teamById } from '../path-resources.ts';
import { presentTeamMembership } from '../present.ts';
import { memberRoles, TeamMembership, TeamMembershipChange } from '../schemas.ts';
import { findTeamMembership, listPeople } from '../store.ts';
import { readsTeams, writesTeams } from './access.ts';

export const { slug: listMembersBySlug, id: listMembersById } = endpointVariants(
  {
    slug: {
      path: '/orgs/{org}/teams/{team_slug}/members',
      resources: [team],
      id: 'teams/list-members-in-org',
      summary: 'List team members',
      access: readsTeams,
    },
    id: {
      path: '/teams/{team_id}/members',
      resources: [teamById],
      id: 'teams/list-members-legacy',
      summary: 'List team members by the id of their team',
      access: readsTeams,
    },
  },
  {
    method: 'GET',
    query: Type.Object({ role: withDefault(OneOf([...memberRoles, 'all']), 'all') }),
    paging: pages(),
    replies: { 200: Type.Array(User) },
    async handle({ db, at, query: { role }, page, links }) {
      const found = await listPeople(db, at.team, role === 'all' ? undefined : role, page);
      return mapEach(found, (row) => presentUser(links, row));
    },
  },
);

export const { slug: listInvitationsBySlug, id: listInvitationsById } = endpointVariants(
  {
    slug: {
      path: '/orgs/{org}/teams/{team_slug}/invitations',
      resources: [team],
      id: 'teams/list-pending-invitations-in-org',
      summary: 'List pending team invitations',
      access: readsTeams,
    },
    id: {
      path: '/teams/{team_id}/invitations',
      resources: [teamById],
      id: 'teams/list-pending-invitations-legacy',
      summary: 'List pending team invitations by the id of the team',
      access: readsTeams,
    },
  },
  {
    method: 'GET',
    paging: pages(),
    replies: { 200: Type.Array(OrganizationInvitation) },
    async handle({ scope, db, at, action, page }) {
      if (!(await maintains(db, action, at.team))) throw notFound();
      const found = await listInvitations(db, { organization: at.org.id, state: 'pending', team: at.team.id, page });
      return mapRows(found, (rows) => presentInvitations(scope, rows));
    },
  },
);

const membershipBySlug = { path: '/orgs/{org}/teams/{team_slug}/memberships/{username}', resources: [team] } as const;
const membershipById = { path: '/teams/{team_id}/memberships/{username}', resources: [teamById] } as const;

export const { slug: getMembershipBySlug, id: getMembershipById } = endpointVariants(
  {
    slug: {
      ...membershipBySlug,
      id: 'teams/get-membership-for-user-in-org',
      summary: 'Get team membership for a user',
      access: readsTeams,
    },
    id: {
      ...membershipById,
      id: 'teams/get-membership-for-user-legacy',
      summary: 'Get team membership for a user by the id of the team',
      access: readsTeams,
    },
  },
  {
    method: 'GET',
    replies: { 200: TeamMembership },
    async handle({ db, at, action, links }) {
      return presentTeamMembership(links, at.team, at.user, await getTeamMembership(db, action, at.team));
    },
  },
);

export const { slug: setMembershipBySlug, id: setMembershipById } = endpointVariants(
  {
    slug: {
      ...membershipBySlug,
      id: 'teams/add-or-update-membership-for-user-in-org',
      summary: 'Add or update team membership for a user',
      access: writesTeams,
    },
    id: {
      ...membershipById,
      id: 'teams/add-or-update-membership-for-user-legacy',
      summary: 'Add or update team membership for a user by the id of the team',
      access: writesTeams,
    },
  },
  {
    method: 'PUT',
    body: TeamMembershipChange,
    example: { role: 'maintainer' },
    replies: { 200: TeamMembership },
    async handle({ at, change, body, action, links }) {
      const membership = await change((scope, { team }) => setTeamMembership(scope, action, team, body.role));
      return presentTeamMembership(links, at.team, at.user, membership);
    },
  },
);

export const { slug: endMembershipBySlug, id: endMembershipById } = endpointVariants(
  {
    slug: {
      ...membershipBySlug,
      id: 'teams/remove-membership-for-user-in-org',
      summary: 'Remove team membership for a user',
      access: writesTeams,
    },
    id: {
      ...membershipById,
      id: 'teams/remove-membership-for-user-legacy',
      summary: 'Remove team membership for a user by the id of the team',
      access: writesTeams,
    },
  },
  {
    method: 'DELETE',
    replies: { 204: Nothing },
    async handle({ change, action }) {
      await change((scope, { team }) => endTeamMembership(scope, action, team));
    },
  },
);

const memberById = { path: '/teams/{team_id}/members/{username}', resources: [teamById] } as const;

export const checkTeamMember = endpoint({
  ...memberById,
  id: 'teams/get-member-legacy',
  method: 'GET',
  summary: 'Check whether a user is in a team',
  access: readsTeams,
  replies: { 204: Nothing },
  async handle({ db, at }) {
    const membership = await findTeamMembership(db, at.team, at.user.id);
    if (membership?.state !== 'active') throw notFound();
  },
});

export const putTeamMember = endpoint({
  ...memberById,
  id: 'teams/add-member-legacy',
  method: 'PUT',
  summary: 'Add a member of the organization to a team',
  access: writesTeams,
  refuses: [422],
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope, { team }) => addTeamMember(scope, action, team));
  },
});

export const removeTeamMemberById = endpoint({
  ...memberById,
  id: 'teams/remove-member-legacy',
  method: 'DELETE',
  summary: 'Remove a member from a team',
  access: writesTeams,
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope, { team }) => endTeamMembership(scope, action, team));
  },
});
