// What pages show of apps: those that are installed, and those that act for the person who is signed in.
import { Type } from 'typebox';
import type { PermissionSet } from '#access/permissions.ts';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { enveloped, pages } from '#endpoint/paging.ts';
import { Nullable, OneOf, Timestamp } from '#lib/shape.ts';
import { timestamp, timestampOrNull } from '#lib/time.ts';
import { Permissions } from '#resources/identity/tokens/index.ts';
import { listAuthorizedApps } from '../page-store.ts';
import { presentInstallations } from '../present.ts';
import { Installation } from '../schemas.ts';
import { listInstallationsIn, listInstallationsOn } from '../store.ts';

const own = { permission: { none: 'own_account' }, credentials: ['session'] } as const;

/** An app that acts for a person. */
const AuthorizedApp = Type.Object({
  slug: Type.String(),
  name: Type.String(),
  type: OneOf(['app', 'oauth']),
  scopes: Type.Array(Type.String()),
  permissions: Permissions,
  authorized_at: Timestamp,
  last_used_at: Nullable(Timestamp),
  tokens: Type.Integer(),
});

export const listOwnAuthorizations = endpoint({
  id: 'apps/list-own-authorizations',
  method: 'GET',
  path: '/user/authorizations',
  summary: 'List the apps that act for the authenticated user',
  access: own,
  replies: { 200: Type.Array(AuthorizedApp) },
  async handle({ db, viewer, now }) {
    return (await listAuthorizedApps(db, viewer.account.id, now)).map(({ kind, permissions, ...app }) => ({
      ...app,
      type: kind,
      permissions: permissions as PermissionSet, // checkPermissions has validated it
      authorized_at: timestamp(app.authorized_at),
      last_used_at: timestampOrNull(app.last_used_at),
    }));
  },
});

export const listOwnInstallations = endpoint({
  id: 'apps/list-installations-of-own-account',
  method: 'GET',
  path: '/user/own-installations',
  summary: 'List the app installations on the account of the authenticated user',
  access: own,
  paging: pages(),
  replies: { 200: enveloped('installations', Installation) },
  async handle({ scope, db, viewer, page }) {
    return mapRows(await listInstallationsOn(db, viewer.account.id, page), (rows) => presentInstallations(scope, rows));
  },
});

export const listRepositoryInstallations = endpoint({
  id: 'apps/list-installations-in-repository',
  method: 'GET',
  path: '/repos/{owner}/{repo}/installations',
  summary: 'List the app installations that include a repository',
  access: { permission: 'administration:read', scopes: ['repo'], role: 'admin' },
  paging: pages(),
  replies: { 200: enveloped('installations', Installation) },
  async handle({ scope, db, at, page }) {
    return mapRows(await listInstallationsIn(db, at.repo, page), (rows) => presentInstallations(scope, rows));
  },
});
