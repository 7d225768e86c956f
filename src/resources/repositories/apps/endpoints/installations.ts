// Installations, and the tokens that apps create for them with a JSON web token.
import { Type } from 'typebox';
import type { Repo } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { enveloped, pages } from '#endpoint/paging.ts';
import type { Id } from '#lib/id.ts';
import { notFound, orNotFound } from '#lib/refusal.ts';
import { Nothing, OneOf } from '#lib/shape.ts';
import { timestamp } from '#lib/time.ts';
import { MinimalRepository, presentRepositories } from '#resources/repositories/repositories/index.ts';
import { suspendInstallation, uninstall, unsuspendInstallation } from '../installations.ts';
import { ownInstallation } from '../path-resources.ts';
import { presentInstallation, presentInstallations } from '../present.ts';
import { createInstallationToken } from '../rules.ts';
import { Installation, InstallationToken, TokenRequest } from '../schemas.ts';
import {
  findAppById,
  findInstallationOn,
  type InstallationOfApp,
  listInstallationsFor,
  listInstallationsOfApp,
  listInstallationsOn,
  listReachedBy,
  reachesRepository,
} from '../store.ts';

const byApp = { permission: { none: 'app_jwt' } } as const;

async function getInstallationOn(db: Db, app: Id<'apps'>, account: Id<'accounts'>, repo?: Repo): Promise<InstallationOfApp> {
  const installation = await findInstallationOn(db, app, account);
  if (!installation || (repo && !(await reachesRepository(db, installation, repo.id)))) throw notFound();
  return installation;
}

export const listInstallations = endpoint({
  id: 'apps/list-installations',
  method: 'GET',
  path: '/app/installations',
  summary: 'List installations for the authenticated app',
  access: byApp,
  query: Type.Object({ since: Type.Optional(Type.String({ format: 'date-time' })), outdated: Type.Optional(Type.String()) }),
  paging: pages(),
  replies: { 200: Type.Array(Installation) },
  async handle({ scope, db, viewer, query, page }) {
    const since = query.since === undefined ? undefined : new Date(query.since);
    const outdated = query.outdated !== undefined && query.outdated !== 'false';
    const found = await listInstallationsOfApp(db, viewer.grant.appId, { since, outdated, page });
    return mapRows(found, (rows) => presentInstallations(scope, rows));
  },
});

export const getInstallation = endpoint({
  id: 'apps/get-installation',
  method: 'GET',
  path: '/app/installations/{installation_id}',
  resources: [ownInstallation],
  summary: 'Get an installation for the authenticated app',
  access: byApp,
  replies: { 200: Installation },
  async handle({ scope, at }) {
    return presentInstallation(scope, at.installation);
  },
});

export const createAccessToken = endpoint({
  id: 'apps/create-installation-access-token',
  method: 'POST',
  path: '/app/installations/{installation_id}/access_tokens',
  resources: [ownInstallation],
  summary: 'Create an installation access token for an app',
  access: byApp,
  body: TokenRequest,
  example: { permissions: { contents: 'read' } },
  replies: { 201: InstallationToken },
  async handle({ scope, db, change, at, viewer, body, now }) {
    const app = orNotFound(await findAppById(db, viewer.grant.appId));
    const { token, row, permissions, repositories } = await change((scope, { installation }) =>
      createInstallationToken(scope, { app, installation, request: body, now }),
    );
    return {
      token,
      expires_at: timestamp(row.expires_at ?? now),
      permissions: { ...permissions },
      repository_selection: repositories ? ('selected' as const) : at.installation.repository_selection,
      ...(repositories ? { repositories: await presentRepositories(scope, repositories) } : {}),
    };
  },
});

export const deleteInstallation = endpoint({
  id: 'apps/delete-installation',
  method: 'DELETE',
  path: '/app/installations/{installation_id}',
  resources: [ownInstallation],
  summary: 'Delete an installation for the authenticated app',
  access: byApp,
  replies: { 204: Nothing },
  async handle({ change, now }) {
    await change((scope, { installation }) => uninstall(scope, { installation, by: undefined, now }));
  },
});

export const suspendAppInstallation = endpoint({
  id: 'apps/suspend-installation',
  method: 'PUT',
  path: '/app/installations/{installation_id}/suspended',
  resources: [ownInstallation],
  summary: 'Suspend an app installation',
  access: byApp,
  replies: { 204: Nothing },
  async handle({ change, now }) {
    await change((scope, { installation }) => suspendInstallation(scope, { installation, by: undefined, now }));
  },
});

export const unsuspendAppInstallation = endpoint({
  id: 'apps/unsuspend-installation',
  method: 'DELETE',
  path: '/app/installations/{installation_id}/suspended',
  resources: [ownInstallation],
  summary: 'Unsuspend an app installation',
  access: byApp,
  replies: { 204: Nothing },
  async handle({ change, now }) {
    await change((scope, { installation }) => unsuspendInstallation(scope, { installation, by: undefined, now }));
  },
});

export const getOrgInstallation = endpoint({
  id: 'apps/get-org-installation',
  method: 'GET',
  path: '/orgs/{org}/installation',
  summary: 'Get an organization installation for the authenticated app',
  access: byApp,
  replies: { 200: Installation },
  async handle({ scope, db, at, viewer }) {
    return presentInstallation(scope, await getInstallationOn(db, viewer.grant.appId, at.org.id));
  },
});

export const getRepoInstallation = endpoint({
  id: 'apps/get-repo-installation',
  method: 'GET',
  path: '/repos/{owner}/{repo}/installation',
  summary: 'Get a repository installation for the authenticated app',
  access: byApp,
  replies: { 200: Installation },
  async handle({ scope, db, at, viewer }) {
    return presentInstallation(scope, await getInstallationOn(db, viewer.grant.appId, at.repo.owner_id, at.repo));
  },
});

export const getUserInstallation = endpoint({
  id: 'apps/get-user-installation',
  method: 'GET',
  path: '/users/{username}/installation',
  summary: 'Get a user installation for the authenticated app',
  access: byApp,
  replies: { 200: Installation },
  async handle({ scope, db, at, viewer }) {
    return presentInstallation(scope, await getInstallationOn(db, viewer.grant.appId, at.user.id));
  },
});

export const listOrgInstallations = endpoint({
  id: 'orgs/list-app-installations',
  method: 'GET',
  path: '/orgs/{org}/installations',
  summary: 'List app installations for an organization',
  access: { permission: 'organization_administration:read', scopes: ['admin:org'], role: 'owner' },
  paging: pages(),
  replies: { 200: enveloped('installations', Installation) },
  async handle({ scope, db, at, page }) {
    const found = await listInstallationsOn(db, at.org.id, page);
    return mapRows(found, (rows) => presentInstallations(scope, rows));
  },
});

const AccessibleRepositories = Type.Object({
  total_count: Type.Integer(),
  repositories: Type.Array(MinimalRepository),
  repository_selection: OneOf(['all', 'selected']),
});

export const listReachedRepositories = endpoint({
  id: 'apps/list-repos-accessible-to-installation',
  method: 'GET',
  path: '/installation/repositories',
  summary: 'List repositories accessible to the app installation',
  access: { permission: 'metadata:read', credentials: ['installation'] },
  paging: pages(),
  replies: { 200: AccessibleRepositories },
  async handle({ scope, db, viewer, page }) {
    const found = await listReachedBy(db, viewer, page);
    const rows = await presentRepositories(scope, found.rows);
    const isAll = viewer.grant.kind === 'installation' && viewer.grant.selection === 'all';
    return { rows, total: found.total, extra: { repository_selection: isAll ? 'all' : 'selected' } };
  },
});

export const listUserInstallations = endpoint({
  id: 'apps/list-installations-for-authenticated-user',
  method: 'GET',
  path: '/user/installations',
  summary: 'List app installations accessible to the user access token',
  access: { permission: { none: 'own_account' }, credentials: ['app_user'] },
  paging: pages(),
  replies: { 200: enveloped('installations', Installation) },
  async handle({ scope, db, viewer, page }) {
    if (viewer.grant.kind !== 'app_user') throw notFound();
    const found = await listInstallationsFor(db, viewer.grant.appId, viewer.account.id, page);
    return mapRows(found, (rows) => presentInstallations(scope, rows));
  },
});
