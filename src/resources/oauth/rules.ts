import { createHash, randomInt } from 'node:crypto';
import { normalizeScopes, type Scope } from '#access/scopes.ts';
import { refreshTokenPrefix, tokenPrefixes } from '#access/tokens.ts';
import type { Account } from '#access/viewer.ts';
import type { Tx } from '#database/connect.ts';
import { getOrThrow } from '#lib/collections.ts';
import { addMinutes, addSeconds } from '#lib/time.ts';
import { hashToken, newToken } from '#lib/token.ts';
import { loadAccounts, updateAccount } from '#resources/accounts/index.ts';
import type { AppRow } from '#resources/apps/index.ts';
import { insertToken, removeToken, removeTokensBeyond, stored } from '#resources/tokens/index.ts';
import {
  type DeviceRow,
  findDeviceForUpdate,
  insertCode,
  insertDevice,
  insertRefresh,
  removeDevice,
  removeSessions,
  takeCode,
  takeRefresh,
  updateDevice,
} from './store.ts';

/** Gives an account a new password. Whoever signed in by the old one is signed out. */
export async function changePassword(tx: Tx, account: Account['id'], hash: string): Promise<void> {
  await updateAccount(tx, account, { password_hash: hash });
  await removeSessions(tx, account);
}

/** Why no token is given, in the words of the public API, which clients look for. */
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

/** What a client gets for a code. `expiresIn` and the refresh token are only there if the token expires. */
export type Granted = {
  token: string;
  scopes: readonly Scope[];
  refresh?: { token: string; expiresIn: number; refreshExpiresIn: number };
};
export type Outcome = { granted: Granted } | { problem: Problem; interval?: number };

/** The public API's times: a code 10 minutes, a user's token 8 hours, its refresh token 6 months, a device's code 15 minutes. */
const codeMinutes = 10;
const tokenSeconds = 8 * 3600;
const refreshSeconds = 15_811_200;
export const deviceSeconds = 900;
export const deviceInterval = 5;
const slowDownSeconds = 5;
/** The public API's number of tokens without an end for the same user, app and scopes. The oldest ends with the next. */
const maxAlike = 10;

type Agreement = { app: AppRow; user: Account; scopes: readonly string[]; now: Date };

/** Records that a user agreed to an app. Returns the code that the app exchanges for its token. */
export async function agree(
  tx: Tx,
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
  await insertCode(tx, {
    hash: hashToken(code),
    app_id: app.id,
    account_id: user.id,
    scopes: [...normalizeScopes(scopes)],
    redirect_uri: redirectUri ?? null,
    code_challenge: challenge ?? null,
    expires_at: addMinutes(now, codeMinutes),
  });
  return code;
}

type Exchange = { app: AppRow; now: Date };

/** Exchanges a code of the web flow. The code is used up even where the exchange is refused. */
export async function exchangeCode(
  tx: Tx,
  {
    app,
    code,
    verifier,
    redirectUri,
    now,
  }: Exchange & { code: string; verifier: string | undefined; redirectUri: string | undefined },
): Promise<Outcome> {
  const row = await takeCode(tx, hashToken(code));
  if (!row || row.app_id !== app.id || row.expires_at <= now) return { problem: 'bad_verification_code' };
  if (row.code_challenge !== null && row.code_challenge !== challengeOf(verifier ?? ''))
    return { problem: 'bad_verification_code' };
  if (redirectUri !== undefined && row.redirect_uri !== null && redirectUri !== row.redirect_uri)
    return { problem: 'redirect_uri_mismatch' };
  const user = await activeUser(tx, row.account_id);
  if (!user) return { problem: 'bad_verification_code' };
  return { granted: await grantToken(tx, { app, user, scopes: row.scopes, now }) };
}

/** Who agreed to an app; undefined while the account is suspended, for which nothing is granted then. */
async function activeUser(tx: Tx, id: Account['id']): Promise<Account | undefined> {
  const user = getOrThrow(await loadAccounts(tx, [id]), id);
  return user.suspended_at ? undefined : user;
}

/** PKCE, S256 (RFC 7636). */
const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');

/** Makes a user's token for an app: by scopes for an OAuth app, by the app's permissions for the other kind. */
async function grantToken(tx: Tx, { app, user, scopes, now }: Agreement): Promise<Granted> {
  const isOAuth = app.kind === 'oauth';
  const kept = isOAuth ? normalizeScopes(scopes) : [];
  const kind = isOAuth ? 'oauth_app' : 'app_user';
  const token = newToken(tokenPrefixes[kind]);
  const ends = !isOAuth && app.expiring_user_tokens;
  const row = await insertToken(tx, {
    kind,
    ...stored(token, now),
    account_id: user.id,
    app_id: app.id,
    scopes: [...kept],
    expires_at: ends ? addSeconds(now, tokenSeconds) : null,
  });
  if (!ends) {
    await removeTokensBeyond(tx, row, maxAlike);
    return { token, scopes: kept };
  }
  const refresh = newToken(refreshTokenPrefix);
  await insertRefresh(tx, {
    hash: hashToken(refresh),
    token_id: row.id,
    app_id: app.id,
    account_id: user.id,
    expires_at: addSeconds(now, refreshSeconds),
  });
  return { token, scopes: kept, refresh: { token: refresh, expiresIn: tokenSeconds, refreshExpiresIn: refreshSeconds } };
}

/** Exchanges a refresh token for a new token and refresh token. The old ones end. */
export async function refreshToken(tx: Tx, { app, refresh, now }: Exchange & { refresh: string }): Promise<Outcome> {
  const row = await takeRefresh(tx, hashToken(refresh));
  if (!row || row.app_id !== app.id || row.expires_at <= now) return { problem: 'bad_refresh_token' };
  await removeToken(tx, row.token_id);
  const user = await activeUser(tx, row.account_id);
  if (!user) return { problem: 'bad_refresh_token' };
  return { granted: await grantToken(tx, { app, user, scopes: [], now }) };
}

/** Letters that can't be confused with each other. Without vowels, they make no words. */
const userCodeLetters = 'BCDFGHJKLMNPQRSTVWXZ';
const letters = (count: number): string =>
  Array.from({ length: count }, () => userCodeLetters.charAt(randomInt(userCodeLetters.length))).join('');

/** Begins the device flow with two codes: one for the device, and one that the user types into a browser. */
export async function startDevice(
  tx: Tx,
  { app, scopes, now }: Exchange & { scopes: readonly string[] },
): Promise<{ deviceCode: string; userCode: string }> {
  const deviceCode = newToken('');
  const userCode = `${letters(4)}-${letters(4)}`;
  await insertDevice(tx, {
    hash: hashToken(deviceCode),
    user_code: userCode,
    app_id: app.id,
    scopes: [...normalizeScopes(scopes)],
    interval_s: deviceInterval,
    expires_at: addSeconds(now, deviceSeconds),
  });
  return { deviceCode, userCode };
}

/** Records a user's answer to a device. */
export const answerDevice = (tx: Tx, device: DeviceRow, { by, state }: { by: Account; state: 'approved' | 'denied' }) =>
  updateDevice(tx, device.hash, { state, account_id: by.id });

/** Answers a device that asks whether its user has agreed. A device that asks too often has to wait longer. */
export async function pollDevice(tx: Tx, { app, deviceCode, now }: Exchange & { deviceCode: string }): Promise<Outcome> {
  const hash = hashToken(deviceCode);
  const device = await findDeviceForUpdate(tx, hash);
  if (!device || device.app_id !== app.id) return { problem: 'incorrect_device_code' };
  if (device.expires_at <= now) return { problem: 'expired_token' };
  if (device.state === 'denied') return { problem: 'access_denied' };
  if (device.state === 'approved' && device.account_id !== null) {
    await removeDevice(tx, hash);
    const user = await activeUser(tx, device.account_id);
    if (!user) return { problem: 'access_denied' };
    return { granted: await grantToken(tx, { app, user, scopes: device.scopes, now }) };
  }
  const tooSoon = device.polled_at !== null && addSeconds(device.polled_at, device.interval_s) > now;
  const interval_s = device.interval_s + (tooSoon ? slowDownSeconds : 0);
  await updateDevice(tx, hash, { polled_at: now, interval_s });
  return tooSoon ? { problem: 'slow_down', interval: interval_s } : { problem: 'authorization_pending' };
}

/**
 * The address to which a user is sent back. The wanted one must have the host and port of a callback address of the app, and a
 * path below it, or the result is undefined; for loopback addresses any port will do. Without a wanted one it is the first
 * callback address.
 */
export function returnAddress(app: AppRow, wanted: string | undefined): string | undefined {
  if (wanted === undefined) return app.callback_urls[0];
  const url = URL.parse(wanted);
  return url && app.callback_urls.some((callback) => belongs(url, new URL(callback))) ? wanted : undefined;
}

const loopback = new Set(['127.0.0.1', '[::1]', 'localhost']);

function belongs(wanted: URL, callback: URL): boolean {
  const isLocal = loopback.has(callback.hostname);
  const sameHost = isLocal ? wanted.hostname === callback.hostname : wanted.host === callback.host;
  const folder = callback.pathname.endsWith('/') ? callback.pathname : `${callback.pathname}/`;
  const below = wanted.pathname === callback.pathname || wanted.pathname.startsWith(folder);
  return wanted.protocol === callback.protocol && sameHost && below && wanted.username === '' && wanted.hash === '';
}
