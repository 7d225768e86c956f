import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { type Along, type Authenticated, type Authenticator, authenticateAlong } from '#access/authenticate.ts';
import { tokenOf } from '#access/viewer.ts';
import type { Database } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { noteTokenUse } from '#resources/identity/tokens/index.ts';
import { loggedCredential } from './request-log.ts';

/**
 * Authenticates a request by its `Authorization` header, and sets `request.actor` and `request.credential` for the log.
 * @param along what else to read together with the viewer
 */
export type SignIn = <Row>(request: FastifyRequest, now: Date, along?: Along<Row>) => Promise<Authenticated<Row>>;

type Parts = { database: Database; log: Logger; adminTokenHash?: Buffer };

/** Makes the sign-in for the API and Git. It also stores when a token was last used. */
export function signInTo({ database: { db }, log, adminTokenHash }: Parts): SignIn {
  const noteUse = hourlyTokenUses((id, now) => {
    noteTokenUse(db, id, now).catch((error) => log.warn({ error }, 'noting the use of a token failed'));
  });
  return async <Row>(request: FastifyRequest, now: Date, along: Along<Row> = () => undefined) => {
    const context: Authenticator = { db, now, ...(adminTokenHash ? { adminTokenHash } : {}) };
    const authenticated = await authenticateAlong(request.headers.authorization, context, along);
    const { account, grant } = authenticated.viewer;
    request.actor = account?.login;
    request.credential = loggedCredential(authenticated.viewer);
    const token = tokenOf(grant);
    if (token !== undefined) noteUse(token, now);
    return authenticated;
  };
}

const hourMs = 3_600_000;
const maxRemembered = 10_000;

/** Calls `note` once an hour for each token. */
function hourlyTokenUses(note: (id: Id<'tokens'>, now: Date) => void): (id: Id<'tokens'>, now: Date) => void {
  const hours = new Map<Id<'tokens'>, number>();
  return (id, now) => {
    const hour = Math.floor(now.getTime() / hourMs);
    if (hours.get(id) === hour) return;
    if (hours.size > maxRemembered) hours.clear();
    hours.set(id, hour);
    note(id, now);
  };
}
