import { timingSafeEqual } from 'node:crypto';
import type { Db } from '#database/connect.ts';
import { oncePerObject } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { forbidden, type Refusal, unauthenticated } from '#lib/refusal.ts';
import { hashToken, isWellFormed } from '#lib/token.ts';
import { looksLikeJwt, verifyAppJwt } from './app-jwt.ts';
import { endsWithin, findClient, findTokenById, type TokenRow, tokenQuery } from './credentials.ts';
import { intersect } from './permissions.ts';
import { findRow, joined, type RowQuery } from './row-query.ts';
import { tokenPrefixes } from './tokens.ts';
import { anonymous, type Grant, type Viewer } from './viewer.ts';

export type Authenticator = { db: Db; now: Date; adminTokenHash?: Buffer };

/** The additional rows to read once the viewer is known. The statement that confirms a remembered token reads them too. */
export type Along<Row> = (viewer: Viewer) => RowQuery<Row> | undefined;

/** `along` is undefined if nothing more was requested, if there is no token, and if the token is new or has changed. */
export type Authenticated<Row> = { readonly viewer: Viewer; readonly along?: { readonly row: Row | undefined } | undefined };

const badCredentials = () => unauthenticated('Bad credentials');

/**
 * The viewer of an `Authorization` header: `Bearer`, `token`, or Basic with the token as the password (or as the name, with an
 * empty password or `x-oauth-basic`). Without a header the viewer is anonymous. A header with a wrong credential is refused
 * (401), never treated as anonymous.
 */
export const authenticate = async (header: string | undefined, context: Authenticator): Promise<Viewer> =>
  (await authenticateAlong(header, context, () => undefined)).viewer;

/** Like `authenticate`, and also returns the rows of `along` if the same statement could read them. */
export async function authenticateAlong<Row>(
  header: string | undefined,
  context: Authenticator,
  along: Along<Row>,
): Promise<Authenticated<Row>> {
  if (header === undefined || header.trim() === '') return { viewer: anonymous };
  const space = header.indexOf(' ');
  const scheme = (space < 0 ? header : header.slice(0, space)).toLowerCase();
  const rest = space < 0 ? '' : header.slice(space + 1).trim();
  if (scheme === 'bearer' && looksLikeJwt(rest)) return { viewer: await verifyAppJwt(rest, context) };
  if (scheme === 'bearer' || scheme === 'token') return byToken(rest, context, along);
  if (scheme === 'basic') return byBasic(rest, context, along);
  throw badCredentials();
}

async function byBasic<Row>(encoded: string, context: Authenticator, along: Along<Row>): Promise<Authenticated<Row>> {
  const decoded = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  if (colon < 0 || decoded.includes('\0')) throw badCredentials();
  const name = decoded.slice(0, colon);
  const password = decoded.slice(colon + 1);
  if (password === '' || password === 'x-oauth-basic') return byToken(name, context, along);
  if (password.startsWith(clientSecretPrefix)) return { viewer: await byClientSecret(name, password, context) };
  return byToken(password, context, along);
}

export const clientSecretPrefix = 'hcs_';

async function byClientSecret(clientId: string, secret: string, { db }: Authenticator): Promise<Viewer> {
  const app = isWellFormed(secret, [clientSecretPrefix]) ? await findClient(db, clientId) : undefined;
  if (!app?.client_secret_hash || !sameHash(app.client_secret_hash, hashToken(secret))) throw badCredentials();
  return { grant: { kind: 'client', appId: app.id, ownerId: app.owner_id } };
}

async function byToken<Row>(token: string, context: Authenticator, along: Along<Row>): Promise<Authenticated<Row>> {
  const hash = hashToken(token);
  const mayExist =
    isWellFormed(token, Object.values(tokenPrefixes)) || (context.adminTokenHash && sameHash(context.adminTokenHash, hash));
  if (!mayExist) throw badCredentials();
  const found = await findTokenAlong(context.db, hash, along);
  if (!found) throw badCredentials();
  const refused = refusalOf(found.token, context.now);
  if (refused) throw refused;
  return { viewer: viewerOf(found.token), along: found.along };
}

/** The reason why a token is refused; undefined if it is accepted. */
function refusalOf(token: TokenRow, now: Date): Refusal | undefined {
  if (token.expires_at && token.expires_at <= now) return badCredentials();
  if (token.account.suspended_at) return forbidden('Sorry. Your account was suspended.');
  return token.installation?.suspended_at ? forbidden('This installation has been suspended') : undefined;
}

/**
 * The current viewer of a token that was used earlier, for addresses that were given to its bearer. Undefined if the token is no
 * longer accepted.
 */
export async function findViewerOf(db: Db, id: Id<'tokens'>, now: Date): Promise<Viewer | undefined> {
  const token = await findTokenById(db, id);
  return token && !refusalOf(token, now) ? viewerOf(token) : undefined;
}

/**
 * Finds a token, and reads the rows of `along` in the same statement. Those rows are read for the remembered viewer, and count
 * only if the token is unchanged.
 */
async function findTokenAlong<Row>(
  db: Db,
  hash: Buffer,
  along: Along<Row>,
): Promise<{ token: TokenRow; along?: { row: Row | undefined } } | undefined> {
  const query = tokenQuery(db, hash);
  const wanted = query.known && along(viewerOf(query.known));
  if (!wanted) {
    const token = await findRow(db, query);
    return token && { token };
  }
  const found = await findRow(db, joined(query, wanted));
  return found && { token: found.above, ...(found.above === query.known ? { along: { row: found.below } } : {}) };
}

const viewerOf = oncePerObject((token: TokenRow): Viewer => ({ account: token.account, grant: grantOf(token) }));

function grantOf(token: TokenRow): Grant {
  const expiry = token.expires_at ? { expiresAt: token.expires_at } : {};
  const base = { tokenId: token.id, ...expiry };
  switch (token.kind) {
    case 'classic_pat':
    case 'oauth_app':
      return { kind: token.kind, ...base, ...(token.app_id === null ? {} : { appId: token.app_id }), scopes: token.scopes };
    case 'fine_grained_pat': {
      const withheld = reasonToWithhold(token);
      if (withheld) return { kind: token.kind, ...base, ownerId: undefined, withheld, selection: 'public', permissions: {} };
      return {
        kind: token.kind,
        ...base,
        ownerId: required(token.owner_id),
        selection: token.repository_selection ?? 'public',
        permissions: token.permissions,
      };
    }
    case 'app_user':
      return {
        kind: token.kind,
        ...base,
        appId: required(token.app_id),
        permissions: intersect(token.permissions, token.app_permissions ?? {}),
      };
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

/**
 * Why a fine-grained token may not access the account that it was made for; undefined if it may. A refused token still reads
 * public data.
 */
function reasonToWithhold({ access, policy, created_at, expires_at }: TokenRow): string | undefined {
  if (access !== 'granted') return withheldTexts[access ?? 'denied'];
  if (!policy) return undefined;
  if (!policy.fine_grained_tokens_allowed) return 'the organization of the token accepts no fine-grained tokens';
  if (!endsWithin(policy, created_at, expires_at))
    return `the organization of the token accepts none that live longer than ${policy.max_token_days} days`;
  return undefined;
}

const withheldTexts = {
  pending: 'the token is pending approval by its organization',
  denied: 'the organization of the token has denied its request',
  revoked: 'the organization of the token has revoked its access',
} as const;

/** The value of a column that is never null for tokens of this kind. */
function required<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error('A token row lacks a column of its kind');
  return value;
}

const sameHash = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b);
