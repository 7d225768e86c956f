import { createHash, randomInt } from 'node:crypto';
import { normalizeScopes, type Scope } from '#access/scopes.ts';
import { refreshTokenPrefix, tokenPrefixes } from '#access/tokens.ts';
import type { Account } from '#access/viewer.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { getOrThrow } from '#lib/collections.ts';
import { addMinutes, addSeconds } from '#lib/time.ts';
import { hashToken, newToken } from '#lib/token.ts';
import { loadAccounts, updateAccount } from '#resources/identity/accounts/index.ts';
import { insertToken, removeToken, removeTokensBeyond, stored } from '#resources/identity/tokens/index.ts';
import type { AppRow } from '#resources/repositories/apps/index.ts';
import {
  answerPendingDevice,
  consumeCode,
  consumeRefreshToken,
  type DeviceRow,
  findDeviceForUpdate,
  insertCode,
  insertDevice,
  insertRefreshToken,
  removeDevice,
  removeSessions,
  updateDevice,
} from './store.ts';

/** Gives an account a new password and ends its sessions. */
export async function changePassword(scope: WriteScope, account: Account['id'], hash: string): Promise<void> {
  await updateAccount(scope.tx, account, { password_hash: hash });
  await removeSessions(scope.tx, account);
}

/** The errors of the token endpoints with the public API's messages, since clients compare them. */
export const problems = {
  incorrect_client_credentials: 'The client_id and/or client_secret passed are incorrect.',
  redirect_uri_mismatch: 'The redirect_uri must belong to a callback address of the app.',
  bad_verification_code: 'The code passed is incorrect or expired.',
  bad_refresh_token: 'The refresh token passed is incorrect or expired.',
  unsupported_grant_type: 'This grant_type is not supported.',
  incorrect_device_code: 'The device_code provided is not valid.',
  authorization_pending: 'The authorization request is still pending.',
  slow_down: 'Too many requests have been made in the same timeframe.',
  expired_token: 'The device_code has expired.',
  access_denied: 'The authorization request was denied.',
  device_flow_disabled: 'Device Flow must be explicitly enabled for this App',
} as const;
export type Problem = keyof typeof problems;

/** The tokens that a client gets for a code. `refresh` is undefined if the token doesn't expire. */
type Granted = {
  token: string;
  scopes: readonly Scope[];
  refresh?: { token: string; expiresIn: number; refreshExpiresIn: number };
};
export type Outcome = { granted: Granted } | { problem: Problem; interval?: number };

/**
 * The public API's lifetimes: a code 10 minutes, a user's token 8 hours, its refresh token 6 months, a device code 15 minutes.
 */
const codeMinutes = 10;
const tokenSeconds = 8 * 3600;
const refreshSeconds = 15_811_200;
export const deviceSeconds = 900;
export const deviceInterval = 5;
const slowDownSeconds = 5;
/**
 * The maximum number of non-expiring tokens for the same user, app and scopes (the public API's limit). A new one replaces the
 * oldest.
 */
const maxNonExpiring = 10;

type Agreement = { app: AppRow; user: Account; scopes: readonly string[]; now: Date };

/** What a user agreed to: the permissions that the app requested at that time. Later changes of the app don't extend them. */
type Agreed = Agreement & { permissions: unknown };

/** Records that a user authorized an app. Returns the code that the app exchanges for a token. */
export async function agree(
  scope: WriteScope,
  {
    app,
    user,
    scopes,
    now,
    redirectUri,
    challenge,
  }: Agreement & { redirectUri: string | undefined; challenge: string | undefined },
): Promise<string> {
  const code = newToken('');
  await insertCode(scope.tx, {
    hash: hashToken(code),
    app_id: app.id,
    account_id: user.id,
    scopes: [...normalizeScopes(scopes)],
    permissions: JSON.stringify(app.permissions),
    redirect_uri: redirectUri ?? null,
    code_challenge: challenge ?? null,
    expires_at: addMinutes(now, codeMinutes),
  });
  return code;
}

type Exchange = { app: AppRow; now: Date };

/** Exchanges a code of the web flow. The code is used up even if the exchange is refused. */
export async function exchangeCode(
  scope: WriteScope,
  {
    app,
    code,
    verifier,
    redirectUri,
    now,
  }: Exchange & { code: string; verifier: string | undefined; redirectUri: string | undefined },
): Promise<Outcome> {
  const row = await consumeCode(scope.tx, hashToken(code));
  if (!row || row.app_id !== app.id || row.expires_at <= now) return { problem: 'bad_verification_code' };
  // A verifier without a challenge is refused too: somebody may have taken the challenge out of the address (RFC 9700, 4.8.2).
  if (row.code_challenge !== (verifier === undefined ? null : challengeOf(verifier))) return { problem: 'bad_verification_code' };
  if (redirectUri !== undefined && row.redirect_uri !== null && redirectUri !== row.redirect_uri)
    return { problem: 'redirect_uri_mismatch' };
  const user = await findActiveUser(scope, row.account_id);
  if (!user) return { problem: 'bad_verification_code' };
  return { granted: await grantToken(scope, { app, user, scopes: row.scopes, permissions: row.permissions, now }) };
}

/** The user who authorized an app; undefined while the account is suspended, since suspended accounts grant nothing. */
async function findActiveUser(scope: WriteScope, id: Account['id']): Promise<Account | undefined> {
  const user = getOrThrow(await loadAccounts(scope.tx, [id]), id);
  return user.suspended_at ? undefined : user;
}

/** PKCE, S256 (RFC 7636). */
const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');

/** Creates a user's token for an app: with scopes for an OAuth app, with permissions for the other kind of app. */
async function grantToken(scope: WriteScope, { app, user, scopes, permissions, now }: Agreed): Promise<Granted> {
  const isOAuth = app.kind === 'oauth';
  const grantedScopes = isOAuth ? normalizeScopes(scopes) : [];
  const kind = isOAuth ? 'oauth_app' : 'app_user';
  const token = newToken(tokenPrefixes[kind]);
  const isExpiring = !isOAuth && app.expiring_user_tokens;
  const row = await insertToken(scope.tx, {
    kind,
    ...stored(token, now),
    account_id: user.id,
    app_id: app.id,
    scopes: [...grantedScopes],
    permissions: JSON.stringify(isOAuth ? {} : permissions),
    expires_at: isExpiring ? addSeconds(now, tokenSeconds) : null,
  });
  if (!isExpiring) {
    await removeTokensBeyond(scope.tx, row, maxNonExpiring);
    return { token, scopes: grantedScopes };
  }
  const refresh = newToken(refreshTokenPrefix);
  await insertRefreshToken(scope.tx, {
    hash: hashToken(refresh),
    token_id: row.id,
    app_id: app.id,
    account_id: user.id,
    expires_at: addSeconds(now, refreshSeconds),
  });
  return { token, scopes: grantedScopes, refresh: { token: refresh, expiresIn: tokenSeconds, refreshExpiresIn: refreshSeconds } };
}

/** Exchanges a refresh token for a new token and refresh token. The old ones are removed. */
export async function refreshToken(scope: WriteScope, { app, refresh, now }: Exchange & { refresh: string }): Promise<Outcome> {
  const row = await consumeRefreshToken(scope.tx, hashToken(refresh));
  if (!row || row.app_id !== app.id || row.expires_at <= now) return { problem: 'bad_refresh_token' };
  const former = await removeToken(scope.tx, row.token_id);
  const user = await findActiveUser(scope, row.account_id);
  if (!former || !user) return { problem: 'bad_refresh_token' };
  return { granted: await grantToken(scope, { app, user, scopes: [], permissions: former.permissions, now }) };
}

/** Letters that can't be confused with each other. There are no vowels, so they form no words. */
const userCodeLetters = 'BCDFGHJKLMNPQRSTVWXZ';
const randomLetters = (count: number): string =>
  Array.from({ length: count }, () => userCodeLetters.charAt(randomInt(userCodeLetters.length))).join('');

/** Starts the device flow with two codes: one for the device, and one that the user types into a browser. */
export async function startDevice(
  scope: WriteScope,
  { app, scopes, now }: Exchange & { scopes: readonly string[] },
): Promise<{ deviceCode: string; userCode: string }> {
  const deviceCode = newToken('');
  const userCode = `${randomLetters(4)}-${randomLetters(4)}`;
  await insertDevice(scope.tx, {
    hash: hashToken(deviceCode),
    user_code: userCode,
    app_id: app.id,
    scopes: [...normalizeScopes(scopes)],
    interval_s: deviceInterval,
    expires_at: addSeconds(now, deviceSeconds),
  });
  return { deviceCode, userCode };
}

/** Records a user's answer to a device, with the permissions that the app requests. Returns false if it was already answered. */
export const answerDevice = (
  scope: WriteScope,
  device: DeviceRow,
  { app, by, state }: { app: AppRow; by: Account; state: 'approved' | 'denied' },
): Promise<boolean> =>
  answerPendingDevice(scope.tx, device.hash, { state, account_id: by.id, permissions: JSON.stringify(app.permissions) });

/** Answers a device that polls for its user's answer. A device that polls too often gets a longer interval. */
export async function pollDevice(
  scope: WriteScope,
  { app, deviceCode, now }: Exchange & { deviceCode: string },
): Promise<Outcome> {
  const hash = hashToken(deviceCode);
  const device = await findDeviceForUpdate(scope.tx, hash);
  if (!device || device.app_id !== app.id) return { problem: 'incorrect_device_code' };
  if (device.expires_at <= now) return { problem: 'expired_token' };
  if (device.state === 'denied') return { problem: 'access_denied' };
  if (device.state === 'approved' && device.account_id !== null) {
    await removeDevice(scope.tx, hash);
    const user = await findActiveUser(scope, device.account_id);
    if (!user) return { problem: 'access_denied' };
    return { granted: await grantToken(scope, { app, user, scopes: device.scopes, permissions: device.permissions, now }) };
  }
  const tooSoon = device.polled_at !== null && addSeconds(device.polled_at, device.interval_s) > now;
  const interval_s = device.interval_s + (tooSoon ? slowDownSeconds : 0);
  await updateDevice(scope.tx, hash, { polled_at: now, interval_s });
  return tooSoon ? { problem: 'slow_down', interval: interval_s } : { problem: 'authorization_pending' };
}

/**
 * The address to which a user is redirected. A requested address must have the host and port of one of the app's callback
 * addresses, and a path below it, otherwise the result is undefined. For loopback addresses any port is allowed. Without a
 * requested address, the first callback address is used.
 */
export function returnAddress(app: AppRow, wanted: string | undefined): string | undefined {
  if (wanted === undefined) return app.callback_urls[0];
  const url = URL.parse(wanted);
  return url && app.callback_urls.some((callback) => matchesCallback(url, new URL(callback))) ? wanted : undefined;
}

/** A folder above, of which an encoded slash or backslash is a part: some servers decode these first. */
const climbing = /(?:^|\/|%2f|%5c)(?:\.|%2e){2}(?:$|\/|%2f|%5c)/i;

const loopback = new Set(['127.0.0.1', '[::1]', 'localhost']);

function matchesCallback(wanted: URL, callback: URL): boolean {
  const isLocal = loopback.has(callback.hostname);
  const sameHost = isLocal ? wanted.hostname === callback.hostname : wanted.host === callback.host;
  const folder = callback.pathname.endsWith('/') ? callback.pathname : `${callback.pathname}/`;
  const isBelow = wanted.pathname === callback.pathname || wanted.pathname.startsWith(folder);
  const isPlain = wanted.username === '' && wanted.password === '' && wanted.hash === '' && !climbing.test(wanted.pathname);
  return wanted.protocol === callback.protocol && sameHost && isBelow && isPlain;
}
