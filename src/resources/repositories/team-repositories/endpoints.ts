// The repositories of teams, and the teams' roles in them. Each endpoint exists by the slug and by the id of a team.
import { Type } from 'typebox';
import { roleOfWord } from '#access/roles.ts';
import { everyCredential } from '#access/tokens.ts';
import { mapRows } from '#database/list.ts';
import { pages } from '#endpoint/paging.ts';
import { endpointVariants } from '#endpoint/variants.ts';
import { notFound } from '#lib/refusal.ts';
import { Nothing } from '#lib/shape.ts';
import { team, teamById } from '#resources/identity/teams/index.ts';
import { presentTeamRepositories, presentTeamRepository } from './present.ts';
import { removeRepository, setRepositoryRole } from './rules.ts';
import { RepositoryOfTeam, TeamRepository, TeamRepositoryChange } from './schemas.ts';
import { findTeamLevel, listRepositoriesOf } from './store.ts';

const lists = { permission: 'members:read', scopes: ['read:org'], credentials: everyCredential, role: 'member' } as const;
const reads = {
  permission: { allOf: ['members:read', 'metadata:read'] },
  scopes: ['repo'],
  alsoScopes: ['read:org'],
  credentials: everyCredential,
  role: 'read',
} as const;
const writes = {
  permission: { allOf: ['members:read', 'administration:write'] },
  scopes: ['repo'],
  alsoScopes: ['admin:org'],
  credentials: everyCredential,
} as const;

const bySlug = { path: '/orgs/{org}/teams/{team_slug}/repos/{owner}/{repo}', resources: [team] } as const;
const byId = { path: '/teams/{team_id}/repos/{owner}/{repo}', resources: [teamById] } as const;

export const { slug: listReposBySlug, id: listReposById } = endpointVariants(
  {
    slug: {
      path: '/orgs/{org}/teams/{team_slug}/repos',
      resources: [team],
      id: 'teams/list-repos-in-org',
      summary: 'List team repositories',
      access: lists,
    },
    id: {
      path: '/teams/{team_id}/repos',
      resources: [teamById],
      id: 'teams/list-repos-legacy',
      summary: 'List team repositories by the id of the team',
      access: lists,
    },
  },
  {
    method: 'GET',
    paging: pages(),
    replies: { 200: Type.Array(RepositoryOfTeam) },
    async handle({ scope, db, at, viewer, page }) {
      const found = await listRepositoriesOf(db, at.team, viewer, page);
      return mapRows(found, (rows) => presentTeamRepositories(scope, rows));
    },
  },
);

export const { slug: checkRepoBySlug, id: checkRepoById } = endpointVariants(
  {
    slug: {
      ...bySlug,
      id: 'teams/check-permissions-for-repo-in-org',
      summary: 'Check team permissions for a repository',
      access: reads,
    },
    id: {
      ...byId,
      id: 'teams/check-permissions-for-repo-legacy',
      summary: 'Check team permissions for a repository by the id of the team',
      access: reads,
    },
  },
  {
    method: 'GET',
    media: ['repository'],
    replies: { 200: TeamRepository, 204: Nothing },
    async handle({ scope, db, at, media, reply }) {
      const level = await findTeamLevel(db, at.team, at.repo.id);
      if (level === 0) throw notFound();
      if (media !== 'repository') return reply(204);
      const { owner: _owner, role: _role, managesSecurity: _manages, reached: _reached, held: _held, ...row } = at.repo;
      return reply(200, await presentTeamRepository(scope, { ...row, level }));
    },
  },
);

export const { slug: putRepoBySlug, id: putRepoById } = endpointVariants(
  {
    slug: {
      ...bySlug,
      id: 'teams/add-or-update-repo-permissions-in-org',
      summary: 'Add or update team repository permissions',
      access: { ...writes, role: 'admin' },
    },
    id: {
      ...byId,
      id: 'teams/add-or-update-repo-permissions-legacy',
      summary: 'Add or update team repository permissions by the id of the team',
      access: { ...writes, role: 'admin' },
    },
  },
  {
    method: 'PUT',
    body: TeamRepositoryChange,
    example: { permission: 'push' },
    replies: { 204: Nothing },
    async handle({ change, body: { permission }, action }) {
      await change((scope, { team }) =>
        setRepositoryRole(scope, action, team, permission ? roleOfWord(permission) : team.repository_role),
      );
    },
  },
);

export const { slug: removeRepoBySlug, id: removeRepoById } = endpointVariants(
  {
    slug: {
      ...bySlug,
      id: 'teams/remove-repo-in-org',
      summary: 'Remove a repository from a team',
      access: { ...writes, role: 'read', locked: 'allowed' },
    },
    id: {
      ...byId,
      id: 'teams/remove-repo-legacy',
      summary: 'Remove a repository from a team by the id of the team',
      access: { ...writes, role: 'read', locked: 'allowed' },
    },
  },
  {
    method: 'DELETE',
    replies: { 204: Nothing },
    async handle({ change, action }) {
      await change((scope, { team }) => removeRepository(scope, action, team));
    },
  },
);
