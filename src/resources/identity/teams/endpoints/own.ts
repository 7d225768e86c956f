// The teams of the authenticated user.
import { Type } from 'typebox';
import { userCredentials } from '#access/tokens.ts';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { presentFullTeams } from '../present.ts';
import { TeamFull } from '../schemas.ts';
import { listOwnTeams } from '../store.ts';

export const listTeamsOfViewer = endpoint({
  id: 'teams/list-for-authenticated-user',
  method: 'GET',
  path: '/user/teams',
  summary: 'List teams for the authenticated user',
  access: { permission: 'members:read', scopes: ['read:org', 'repo', 'user'], credentials: userCredentials },
  paging: pages(),
  replies: { 200: Type.Array(TeamFull) },
  async handle({ scope, db, viewer, page }) {
    return mapRows(await listOwnTeams(db, viewer, page), (rows) => presentFullTeams(scope, rows));
  },
});
