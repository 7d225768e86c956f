// Invitations to repositories, for the invited users.
import { Type } from 'typebox';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { Nothing } from '#lib/shape.ts';
import { listOwnInvitations } from '../invitation-store.ts';
import { acceptInvitation, declineInvitation } from '../invitations.ts';
import { ownInvitation } from '../path-resources.ts';
import { presentInvitations } from '../present.ts';
import { RepositoryInvitation } from '../schemas.ts';

/** Document 3 excludes tokens of apps. */
const invited = {
  permission: 'administration:write',
  scopes: ['repo:invite'],
  credentials: ['classic_pat', 'fine_grained_pat', 'oauth_app', 'session'],
} as const;

export const listInvitationsOfViewer = endpoint({
  id: 'repos/list-invitations-for-authenticated-user',
  method: 'GET',
  path: '/user/repository_invitations',
  summary: 'List repository invitations for the authenticated user',
  access: { ...invited, permission: 'administration:read' },
  paging: pages(),
  replies: { 200: Type.Array(RepositoryInvitation) },
  async handle({ scope, db, viewer, page }) {
    const found = await listOwnInvitations(db, viewer, page);
    return mapRows(found, (rows) => presentInvitations(scope, rows));
  },
});

export const acceptOwnInvitation = endpoint({
  id: 'repos/accept-invitation-for-authenticated-user',
  method: 'PATCH',
  path: '/user/repository_invitations/{invitation_id}',
  resources: [ownInvitation],
  summary: 'Accept a repository invitation',
  access: invited,
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope, { invitation }) => acceptInvitation(scope, action, invitation));
  },
});

export const declineOwnInvitation = endpoint({
  id: 'repos/decline-invitation-for-authenticated-user',
  method: 'DELETE',
  path: '/user/repository_invitations/{invitation_id}',
  resources: [ownInvitation],
  summary: 'Decline a repository invitation',
  access: invited,
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope, { invitation }) => declineInvitation(scope, action, invitation));
  },
});
