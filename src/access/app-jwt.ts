import { decodeJwt, importSPKI, jwtVerify } from 'jose';
import type { Db } from '#database/connect.ts';
import { unauthenticated } from '#lib/refusal.ts';
import { findJwtApp } from './credentials.ts';
import type { Viewer } from './viewer.ts';

/** The public API's limits: at most 10 minutes of life, and a minute of clock drift. */
const maxLifeSeconds = 600;
const clockDriftSeconds = 60;

export const looksLikeJwt = (text: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text);

const refused = () => unauthenticated('A JSON web token could not be decoded');

/**
 * The viewer behind a JSON web token by which an app speaks for itself: signed by RS256 with one of the app's keys, `iss` is its
 * id or client id, `exp` at most ten minutes ahead.
 */
export async function verifyAppJwt(token: string, { db, now }: { db: Db; now: Date }): Promise<Viewer> {
  const app = await findJwtApp(db, issuerOf(token));
  for (const key of app?.keys ?? []) {
    const payload = await verifiedBy(key, token, now);
    if (!payload || !app) continue;
    const latest = now.getTime() / 1000 + maxLifeSeconds + clockDriftSeconds;
    if (payload.exp === undefined || payload.exp > latest) {
      throw unauthenticated("'Expiration time' claim ('exp') is too far in the future");
    }
    return { grant: { kind: 'app_jwt', appId: app.id } };
  }
  throw refused();
}

function issuerOf(token: string): string {
  let issuer: string;
  try {
    issuer = String(decodeJwt(token).iss ?? '');
  } catch {
    throw refused();
  }
  if (issuer.includes('\0')) throw refused(); // PostgreSQL has no such text
  return issuer;
}

async function verifiedBy(key: string, token: string, now: Date) {
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
