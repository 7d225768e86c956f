// Users' tokens that were given to an app: the app checks, replaces and ends them.
import type { Grant } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { invalid, notFound } from '#lib/refusal.ts';
import { Nothing } from '#lib/shape.ts';
import { hashToken } from '#lib/token.ts';
import { loadAccounts } from '#resources/accounts/index.ts';
import { removeToken, type TokenRow } from '#resources/tokens/index.ts';
import { presentAuthorization } from '../present.ts';
import { Authorization, TokenBody } from '../schemas.ts';
import { type AppRow, findAppById, findTokenOfApp } from '../store.ts';

const byClient = { permission: { none: 'client_secret' } } as const;

/** The app that signed in by its client secret. The path must name the same one. */
async function clientOf(db: Db, grant: Extract<Grant, { kind: 'client' }>, clientId: string): Promise<AppRow> {
  const app = await findAppById(db, grant.appId);
  if (app?.client_id !== clientId) throw notFound();
  return app;
}

const isLive = (row: TokenRow, now: Date): boolean => row.expires_at === null || row.expires_at > now;

export const checkToken = endpoint({
  id: 'apps/check-token',
  method: 'POST',
  path: '/applications/{client_id}/token',
  summary: 'Check a token',
  access: byClient,
  body: TokenBody,
  replies: { 200: Authorization },
  async handle({ db, at, viewer, body, links, now }) {
    const app = await clientOf(db, viewer.grant, at.client_id);
    const row = await findTokenOfApp(db, app.id, hashToken(body.access_token));
    if (!row || !isLive(row, now)) throw notFound();
    const user = (await loadAccounts(db, [row.account_id])).get(row.account_id);
    const shownApp = { client_id: app.client_id, name: app.name, url: app.external_url };
    return presentAuthorization(links, { app: shownApp, user, row, token: body.access_token });
  },
});

export const deleteToken = endpoint({
  id: 'apps/delete-token',
  method: 'DELETE',
  path: '/applications/{client_id}/token',
  summary: 'Delete an app token',
  access: byClient,
  body: TokenBody,
  replies: { 204: Nothing },
  async handle({ db, change, at, viewer, body }) {
    const app = await clientOf(db, viewer.grant, at.client_id);
    const row = await findTokenOfApp(db, app.id, hashToken(body.access_token));
    if (!row) throw invalid('OauthAccess', 'access_token', 'invalid');
    await change((tx) => removeToken(tx, row.id));
  },
});

export const revokeInstallationToken = endpoint({
  id: 'apps/revoke-installation-access-token',
  method: 'DELETE',
  path: '/installation/token',
  summary: 'Revoke an installation access token',
  access: { permission: { none: 'signed_in' }, tokens: ['installation'] },
  replies: { 204: Nothing },
  async handle({ change, viewer }) {
    const { grant } = viewer;
    if (grant.kind === 'installation') await change((tx) => removeToken(tx, grant.tokenId));
  },
});
