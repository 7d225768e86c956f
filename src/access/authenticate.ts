import { timingSafeEqual } from 'node:crypto';
import type { Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { forbidden, unauthenticated } from '#lib/refusal.ts';
import { hashToken, isWellFormed } from '#lib/token.ts';
import { looksLikeJwt, verifyAppJwt } from './app-jwt.ts';
import { findClient, findToken, type TokenRow } from './credentials.ts';
import { intersect } from './permissions.ts';
import { tokenPrefixes } from './tokens.ts';
import { anonymous, type Grant, type Viewer } from './viewer.ts';

export type Authenticator = { db: Db; now: Date; adminTokenHash?: Buffer };

const badCredentials = () => unauthenticated('Bad credentials');

/**
 * The viewer of an `Authorization` header: `Bearer`, `token`, or Basic with the token as the password (or as the name, with an
 * empty password or `x-oauth-basic`). Without a header the viewer is anonymous. A header with a wrong credential is refused
 * (401), never treated as anonymous.
 */
export async function authenticate(header: string | undefined, context: Authenticator): Promise<Viewer> {
  if (header === undefined || header.trim() === '') return anonymous;
  const space = header.indexOf(' ');
  const scheme = (space < 0 ? header : header.slice(0, space)).toLowerCase();
  const rest = space < 0 ? '' : header.slice(space + 1).trim();
  if (scheme === 'bearer') return looksLikeJwt(rest) ? verifyAppJwt(rest, context) : byToken(rest, context);
  if (scheme === 'token') return byToken(rest, context);
  if (scheme === 'basic') return byBasic(rest, context);
  throw badCredentials();
}

async function byBasic(encoded: string, context: Authenticator): Promise<Viewer> {
  const decoded = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  if (colon < 0 || decoded.includes('\0')) throw badCredentials();
  const name = decoded.slice(0, colon);
  const password = decoded.slice(colon + 1);
  if (password === '' || password === 'x-oauth-basic') return byToken(name, context);
  if (password.startsWith(clientSecretPrefix)) return byClientSecret(name, password, context);
  return byToken(password, context);
}

export const clientSecretPrefix = 'hcs_';

async function byClientSecret(clientId: string, secret: string, { db }: Authenticator): Promise<Viewer> {
  const app = isWellFormed(secret, [clientSecretPrefix]) ? await findClient(db, clientId) : undefined;
  if (!app?.client_secret_hash || !sameHash(app.client_secret_hash, hashToken(secret))) throw badCredentials();
  return { grant: { kind: 'client', appId: app.id } };
}

async function byToken(token: string, context: Authenticator): Promise<Viewer> {
  const hash = hashToken(token);
  const mayExist =
    isWellFormed(token, Object.values(tokenPrefixes)) || (context.adminTokenHash && sameHash(context.adminTokenHash, hash));
  const row = mayExist ? await findToken(context.db, hash) : undefined;
  if (!row || (row.expires_at && row.expires_at <= context.now)) throw badCredentials();
  if (row.account.suspended_at) throw forbidden('Sorry. Your account was suspended.');
  if (row.installation?.suspended_at) throw forbidden('This installation has been suspended');
  return { account: row.account, grant: grantOf(row) };
}

function grantOf(token: TokenRow): Grant {
  const expiry = token.expires_at ? { expiresAt: token.expires_at } : {};
  const base = { tokenId: token.id, ...expiry };
  switch (token.kind) {
    case 'classic_pat':
    case 'oauth_app':
      return { kind: token.kind, ...base, ...(token.app_id === null ? {} : { appId: token.app_id }), scopes: token.scopes };
    case 'fine_grained_pat':
      return {
        kind: token.kind,
        ...base,
        ownerId: required(token.owner_id),
        selection: token.repository_selection ?? 'public',
        permissions: token.permissions,
      };
    case 'app_user':
      return { kind: token.kind, ...base, appId: required(token.app_id), permissions: token.app_permissions ?? {} };
    case 'installation': {
      const installation = required(token.installation);
      const narrowed = Object.keys(token.permissions).length > 0;
      const ownSelection = token.repository_selection === 'selected' ? 'token' : undefined;
      return {
        kind: token.kind,
        ...base,
        appId: installation.app_id as Id<'apps'>,
        installationId: installation.id,
        ownerId: installation.account_id,
        selection: ownSelection ?? (installation.repository_selection === 'all' ? 'all' : 'installation'),
        permissions: narrowed ? intersect(token.permissions, installation.permissions) : installation.permissions,
      };
    }
  }
}

/** The value of a column that is never null for tokens of this kind. */
function required<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error('A token row lacks a column of its kind');
  return value;
}

const sameHash = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b);
