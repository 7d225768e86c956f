import type { Db } from '#database/connect.ts';
import { unauthenticated } from '#lib/refusal.ts';
import { findJwtApp } from './credentials.ts';
import type { Viewer } from './viewer.ts';

/** The public API's limits: a lifetime of 10 minutes, and a minute of clock drift. */
const maxLifetimeSeconds = 600;
const clockDriftSeconds = 60;

export const looksLikeJwt = (text: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text);

const undecodable = () => unauthenticated('A JSON web token could not be decoded');

/**
 * The viewer of a JSON web token that an app uses to authenticate as itself. The token is signed with RS256 and one of the app's
 * keys. `iss` is the app's id or client id, and `exp` is at most ten minutes ahead.
 * @throws Refusal 401 for any other token
 */
export async function verifyAppJwt(token: string, { db, now }: { db: Db; now: Date }): Promise<Viewer> {
  const app = await findJwtApp(db, await issuerOf(token));
  for (const key of app?.keys ?? []) {
    const payload = await verifyWithKey(key, token, now);
    if (!payload || !app) continue;
    const latest = now.getTime() / 1000 + maxLifetimeSeconds + clockDriftSeconds;
    if (payload.exp === undefined || payload.exp > latest) {
      throw unauthenticated("'Expiration time' claim ('exp') is too far in the future");
    }
    return { grant: { kind: 'app_jwt', appId: app.id, ownerId: app.owner } };
  }
  throw undecodable();
}

async function issuerOf(token: string): Promise<string> {
  const { decodeJwt } = await import('jose');
  let issuer: string;
  try {
    issuer = String(decodeJwt(token).iss ?? '');
  } catch {
    throw undecodable();
  }
  if (issuer.includes('\0')) throw undecodable(); // PostgreSQL's text can't hold U+0000
  return issuer;
}

async function verifyWithKey(key: string, token: string, now: Date) {
  const { importSPKI, jwtVerify } = await import('jose');
  try {
    const { payload } = await jwtVerify(token, await importSPKI(key, 'RS256'), {
      algorithms: ['RS256'],
      clockTolerance: clockDriftSeconds,
      currentDate: now,
    });
    return payload;
  } catch {
    return undefined;
  }
}
