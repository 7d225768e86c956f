// Tokens that act for users or installations. Apps check and revoke them here.
import { tokenOf } from '#access/viewer.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { invalid, notFound } from '#lib/refusal.ts';
import { Nothing } from '#lib/shape.ts';
import { hashToken } from '#lib/token.ts';
import { loadAccounts } from '#resources/identity/accounts/index.ts';
import { removeToken, type TokenRow } from '#resources/identity/tokens/index.ts';
import { appByClientId } from '../path-resources.ts';
import { presentAuthorization } from '../present.ts';
import { Authorization, TokenBody } from '../schemas.ts';
import { findTokenOfApp } from '../store.ts';

const byClient = { permission: { none: 'client_secret' } } as const;

const isUnexpired = (row: TokenRow, now: Date): boolean => row.expires_at === null || row.expires_at > now;

export const checkToken = endpoint({
  id: 'apps/check-token',
  method: 'POST',
  path: '/applications/{client_id}/token',
  resources: [appByClientId],
  summary: 'Check a token',
  access: byClient,
  body: TokenBody,
  replies: { 200: Authorization },
  async handle({ db, at: { app }, body, links, now }) {
    const row = await findTokenOfApp(db, app.id, hashToken(body.access_token));
    if (!row || !isUnexpired(row, now)) throw notFound();
    const user = (await loadAccounts(db, [row.account_id])).get(row.account_id);
    const appSummary = { client_id: app.client_id, name: app.name, url: app.external_url };
    return presentAuthorization(links, { app: appSummary, user, row, token: body.access_token });
  },
});

export const deleteToken = endpoint({
  id: 'apps/delete-token',
  method: 'DELETE',
  path: '/applications/{client_id}/token',
  resources: [appByClientId],
  summary: 'Delete an app token',
  access: byClient,
  body: TokenBody,
  replies: { 204: Nothing },
  async handle({ db, change, at, body }) {
    const row = await findTokenOfApp(db, at.app.id, hashToken(body.access_token));
    if (!row) throw invalid('OauthAccess', 'access_token', 'invalid');
    await change((scope) => removeToken(scope.tx, row.id));
  },
});

export const revokeInstallationToken = endpoint({
  id: 'apps/revoke-installation-access-token',
  method: 'DELETE',
  path: '/installation/token',
  summary: 'Revoke an installation access token',
  access: { permission: { none: 'signed_in' }, credentials: ['installation'] },
  replies: { 204: Nothing },
  async handle({ change, viewer }) {
    const { grant } = viewer;
    const token = tokenOf(grant);
    if (token !== undefined && grant.kind === 'installation') await change((scope) => removeToken(scope.tx, token));
  },
});
