// Teams of an organization, by slug and by id.
import { Type } from 'typebox';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { endpointVariants } from '#endpoint/variants.ts';
import { Nothing, OneOf, withDefault } from '#lib/shape.ts';
import { changeTeamFor, createTeamFor, deleteTeamFor } from '../managing.ts';
import { team, teamById } from '../path-resources.ts';
import { presentFullTeam, presentTeams } from '../present.ts';
import { NamedTeamChange, NewTeam, Team, TeamChange, TeamFull } from '../schemas.ts';
import { listTeams } from '../store.ts';
import { readsTeams, writesTeams } from './access.ts';

const bySlug = { path: '/orgs/{org}/teams/{team_slug}', resources: [team] } as const;
const byId = { path: '/teams/{team_id}', resources: [teamById] } as const;

export const listOrgTeams = endpoint({
  id: 'teams/list',
  method: 'GET',
  path: '/orgs/{org}/teams',
  summary: 'List teams',
  access: readsTeams,
  query: Type.Object({ team_type: withDefault(OneOf(['all', 'enterprise', 'organization']), 'all') }),
  paging: pages(),
  replies: { 200: Type.Array(Team) },
  async handle({ scope, db, at, query, viewer, page }) {
    if (query.team_type === 'enterprise') return { rows: [], total: 0 };
    const found = await listTeams(db, { organization: at.org.id, viewer }, page);
    return mapRows(found, (rows) => presentTeams(scope, rows));
  },
});

export const createOrgTeam = endpoint({
  id: 'teams/create',
  method: 'POST',
  path: '/orgs/{org}/teams',
  summary: 'Create a team',
  access: writesTeams,
  body: NewTeam,
  example: { name: 'Justice League', description: 'A great team', privacy: 'closed' },
  replies: { 201: TeamFull },
  async handle({ scope, change, body, action }) {
    return presentFullTeam(scope, await change((scope) => createTeamFor(scope, action, body)));
  },
});

export const { slug: getTeamBySlug, id: getTeamById } = endpointVariants(
  {
    slug: { ...bySlug, id: 'teams/get-by-name', summary: 'Get a team by name', access: readsTeams },
    id: { ...byId, id: 'teams/get-legacy', summary: 'Get a team by its id', access: readsTeams },
  },
  {
    method: 'GET',
    replies: { 200: TeamFull },
    async handle({ scope, at }) {
      return presentFullTeam(scope, at.team);
    },
  },
);

export const { slug: changeTeamBySlug, id: changeTeamById } = endpointVariants(
  {
    slug: { ...bySlug, id: 'teams/update-in-org', summary: 'Update a team', access: writesTeams, body: TeamChange },
    id: {
      ...byId,
      id: 'teams/update-legacy',
      summary: 'Update a team by its id',
      access: writesTeams,
      body: NamedTeamChange,
    },
  },
  {
    method: 'PATCH',
    example: { name: 'New name', description: 'What it does', privacy: 'closed' },
    replies: { 200: TeamFull },
    async handle({ scope, change, body, action }) {
      const changed = await change((scope, { team }) => changeTeamFor(scope, action, team, body));
      return presentFullTeam(scope, changed);
    },
  },
);

export const { slug: deleteTeamBySlug, id: deleteTeamById } = endpointVariants(
  {
    slug: { ...bySlug, id: 'teams/delete-in-org', summary: 'Delete a team', access: writesTeams },
    id: { ...byId, id: 'teams/delete-legacy', summary: 'Delete a team by its id', access: writesTeams },
  },
  {
    method: 'DELETE',
    replies: { 204: Nothing },
    async handle({ change, action }) {
      await change((scope, { team }) => deleteTeamFor(scope, action, team));
    },
  },
);

export const { slug: listTeamsBelowSlug, id: listTeamsBelowId } = endpointVariants(
  {
    slug: {
      path: '/orgs/{org}/teams/{team_slug}/teams',
      resources: [team],
      id: 'teams/list-child-in-org',
      summary: 'List child teams',
      access: readsTeams,
    },
    id: {
      path: '/teams/{team_id}/teams',
      resources: [teamById],
      id: 'teams/list-child-legacy',
      summary: 'List child teams by the id of their team',
      access: readsTeams,
    },
  },
  {
    method: 'GET',
    paging: pages(),
    replies: { 200: Type.Array(Team) },
    async handle({ scope, db, at, viewer, page }) {
      const found = await listTeams(db, { organization: at.org.id, viewer, below: at.team.id }, page);
      return mapRows(found, (rows) => presentTeams(scope, rows));
    },
  },
);
