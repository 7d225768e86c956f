// Invitations to organizations. People accept them through their own membership; see `members`.
import { Type } from 'typebox';
import { everyCredential } from '#access/tokens.ts';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { Nothing } from '#lib/shape.ts';
import {
  cancelInvitation,
  listInvitations,
  OrganizationInvitation,
  presentInvitation,
  presentInvitations,
} from '#resources/identity/members/index.ts';
import { listTeamsOfInvitation, presentTeams, Team } from '#resources/identity/teams/index.ts';
import { organizationInvitation } from './path-resources.ts';
import { createInvitation } from './rules.ts';
import { InvitationFilter, NewInvitation } from './schemas.ts';

const reads = { permission: 'members:read', scopes: ['read:org'], credentials: everyCredential, role: 'owner' } as const;
const writes = { permission: 'members:write', scopes: ['admin:org'], credentials: everyCredential, role: 'owner' } as const;

/** The roles of invitations, by the value of the filter. */
const roles = { all: undefined, admin: 'owner', direct_member: 'member' } as const;

export const listPendingInvitations = endpoint({
  id: 'orgs/list-pending-invitations',
  method: 'GET',
  path: '/orgs/{org}/invitations',
  summary: 'List pending organization invitations',
  access: reads,
  query: InvitationFilter,
  paging: pages(),
  replies: { 200: Type.Array(OrganizationInvitation) },
  async handle({ scope, db, at, query: { role, invitation_source }, page }) {
    if (role === 'billing_manager' || role === 'hiring_manager' || invitation_source === 'scim') return { rows: [], total: 0 };
    const found = await listInvitations(db, { organization: at.org.id, state: 'pending', role: roles[role], page });
    return mapRows(found, (rows) => presentInvitations(scope, rows));
  },
});

export const createOrgInvitation = endpoint({
  id: 'orgs/create-invitation',
  method: 'POST',
  path: '/orgs/{org}/invitations',
  summary: 'Create an organization invitation',
  access: writes,
  body: NewInvitation,
  example: { email: 'grace@example.com', role: 'direct_member' },
  replies: { 201: OrganizationInvitation },
  async handle({ scope, change, body, action }) {
    return presentInvitation(scope, await change((scope) => createInvitation(scope, action, body)));
  },
});

export const cancelOrgInvitation = endpoint({
  id: 'orgs/cancel-invitation',
  method: 'DELETE',
  path: '/orgs/{org}/invitations/{invitation_id}',
  resources: [organizationInvitation],
  summary: 'Cancel an organization invitation',
  access: writes,
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope, { invitation }) => cancelInvitation(scope, action, invitation));
  },
});

export const listInvitationTeams = endpoint({
  id: 'orgs/list-invitation-teams',
  method: 'GET',
  path: '/orgs/{org}/invitations/{invitation_id}/teams',
  resources: [organizationInvitation],
  summary: 'List organization invitation teams',
  access: reads,
  paging: pages(),
  replies: { 200: Type.Array(Team) },
  async handle({ scope, db, at, page }) {
    return mapRows(await listTeamsOfInvitation(db, at.invitation.id, page), (rows) => presentTeams(scope, rows));
  },
});

export const listFailedInvitations = endpoint({
  id: 'orgs/list-failed-invitations',
  method: 'GET',
  path: '/orgs/{org}/failed_invitations',
  summary: 'List failed organization invitations',
  access: reads,
  paging: pages(),
  replies: { 200: Type.Array(OrganizationInvitation) },
  async handle({ scope, db, at, page }) {
    const found = await listInvitations(db, { organization: at.org.id, state: 'failed', page });
    return mapRows(found, (rows) => presentInvitations(scope, rows));
  },
});
