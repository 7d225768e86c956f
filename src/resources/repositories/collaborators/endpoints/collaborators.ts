// Collaborators of a repository, their permissions, and the repository's teams.
import { Type } from 'typebox';
import { permissionWords, roleOfLevel, roleOfWord } from '#access/roles.ts';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { keyed } from '#lib/collections.ts';
import { notFound } from '#lib/refusal.ts';
import { Nothing, OneOf, withDefault } from '#lib/shape.ts';
import { presentTeams, Team } from '#resources/identity/teams/index.ts';
import { presentCollaborators, presentInvitation, presentPermission } from '../present.ts';
import {
  addCollaborator,
  collaboratorVisibility,
  deleteCollaborator,
  effectiveRole,
  repositoryTeamVisibility,
} from '../rules.ts';
import { Collaborator, CollaboratorPermission, NewCollaborator, RepositoryInvitation } from '../schemas.ts';
import { findRoleLevel, listCollaborators, listTeamsOf } from '../store.ts';

/** As in the public API, only users who may push to a repository can list its collaborators. */
const reads = { permission: 'metadata:read', scopes: ['repo'], role: 'write' } as const;
const writes = { permission: 'administration:write', scopes: ['repo'] } as const;

export const listRepoCollaborators = endpoint({
  id: 'repos/list-collaborators',
  method: 'GET',
  path: '/repos/{owner}/{repo}/collaborators',
  summary: 'List repository collaborators',
  access: reads,
  query: Type.Object({
    affiliation: withDefault(OneOf(['outside', 'direct', 'all']), 'all'),
    permission: Type.Optional(OneOf(permissionWords)),
  }),
  paging: pages(),
  replies: { 200: Type.Array(Collaborator) },
  async handle({ db, at, query: { affiliation, permission }, viewer, page, links }) {
    const visibility = await collaboratorVisibility(db, at.repo, viewer);
    const role = permission && roleOfWord(permission);
    const found = await listCollaborators(db, at.repo, { visibility, affiliation, role, page });
    return mapRows(found, (rows) => presentCollaborators(links, rows));
  },
});

export const checkCollaborator = endpoint({
  id: 'repos/check-collaborator',
  method: 'GET',
  path: '/repos/{owner}/{repo}/collaborators/{username}',
  summary: 'Check if a user is a repository collaborator',
  access: reads,
  replies: { 204: Nothing },
  async handle({ db, at, viewer }) {
    const visibility = await collaboratorVisibility(db, at.repo, viewer);
    if ((await findRoleLevel(db, at.repo, at.user.id, visibility)) === 0) throw notFound();
  },
});

export const putRepoCollaborator = endpoint({
  id: 'repos/add-collaborator',
  method: 'PUT',
  path: '/repos/{owner}/{repo}/collaborators/{username}',
  summary: 'Add a repository collaborator',
  access: { ...writes, role: 'admin' },
  body: NewCollaborator,
  example: { permission: 'push' },
  replies: { 201: RepositoryInvitation, 204: Nothing },
  async handle({ scope, change, body, action, reply }) {
    const role = body.permission && roleOfWord(body.permission);
    const invited = await change((scope) => addCollaborator(scope, action, role));
    return invited ? reply(201, await presentInvitation(scope, invited)) : reply(204);
  },
});

export const removeRepoCollaborator = endpoint({
  id: 'repos/remove-collaborator',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/collaborators/{username}',
  summary: 'Remove a repository collaborator',
  // Who has locked it could otherwise not be removed.
  access: { ...writes, role: 'read', locked: 'allowed' },
  refuses: [422],
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope) => deleteCollaborator(scope, action));
  },
});

export const getCollaboratorPermission = endpoint({
  id: 'repos/get-collaborator-permission-level',
  method: 'GET',
  path: '/repos/{owner}/{repo}/collaborators/{username}/permission',
  summary: 'Get repository permissions for a user',
  access: reads,
  replies: { 200: CollaboratorPermission },
  async handle({ db, at, viewer, links }) {
    if (at.user.kind === 'organization') throw notFound();
    const visibility = await collaboratorVisibility(db, at.repo, viewer);
    return presentPermission(links, at.user, await effectiveRole(db, at.repo, at.user, visibility));
  },
});

export const listRepoTeams = endpoint({
  id: 'repos/list-teams',
  method: 'GET',
  path: '/repos/{owner}/{repo}/teams',
  summary: 'List repository teams',
  access: { permission: 'administration:read', scopes: ['repo'], role: 'admin' },
  paging: pages(),
  replies: { 200: Type.Array(Team) },
  async handle({ scope, db, at, viewer, page }) {
    const found = await listTeamsOf(db, at.repo, await repositoryTeamVisibility(db, at.repo, viewer), page);
    return mapRows(found, (rows) => {
      const levels = keyed(rows, (row) => row.id);
      return presentTeams(scope, rows, (id) => roleOfLevel(levels.get(id)?.level ?? 0));
    });
  },
});
