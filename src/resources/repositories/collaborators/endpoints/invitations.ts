// Invitations to a repository, for its administrators.
import { Type } from 'typebox';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { Nothing } from '#lib/shape.ts';
import { listInvitations } from '../invitation-store.ts';
import { cancelInvitation, changeInvitation } from '../invitations.ts';
import { repoInvitation } from '../path-resources.ts';
import { presentInvitation, presentInvitations } from '../present.ts';
import { InvitationChange, RepositoryInvitation } from '../schemas.ts';

const administers = { permission: 'administration:write', scopes: ['repo'], role: 'admin' } as const;

export const listRepoInvitations = endpoint({
  id: 'repos/list-invitations',
  method: 'GET',
  path: '/repos/{owner}/{repo}/invitations',
  summary: 'List repository invitations',
  access: { ...administers, permission: 'administration:read' },
  paging: pages(),
  replies: { 200: Type.Array(RepositoryInvitation) },
  async handle({ scope, db, at, page }) {
    const found = await listInvitations(db, at.repo.id, page);
    return mapRows(found, (rows) => presentInvitations(scope, rows));
  },
});

export const updateRepoInvitation = endpoint({
  id: 'repos/update-invitation',
  method: 'PATCH',
  path: '/repos/{owner}/{repo}/invitations/{invitation_id}',
  resources: [repoInvitation],
  summary: 'Update a repository invitation',
  access: administers,
  body: InvitationChange,
  example: { permissions: 'write' },
  replies: { 200: RepositoryInvitation },
  async handle({ scope, change, body, action }) {
    const changed = await change((scope, { invitation }) => changeInvitation(scope, action, invitation, body.permissions));
    return presentInvitation(scope, changed);
  },
});

export const deleteRepoInvitation = endpoint({
  id: 'repos/delete-invitation',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/invitations/{invitation_id}',
  resources: [repoInvitation],
  summary: 'Delete a repository invitation',
  access: administers,
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope, { invitation }) => cancelInvitation(scope, action, invitation));
  },
});
