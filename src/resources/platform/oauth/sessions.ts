// The sessions of browsers that are signed in.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { findSession, type SessionViewer } from '#access/sessions.ts';
import type { Account } from '#access/viewer.ts';
import { change } from '#database/connect.ts';
import { addDays } from '#lib/time.ts';
import { hashToken, newToken } from '#lib/token.ts';
import { isLocalPath } from '#lib/web-address.ts';
import type { RouteParts } from '#resources/route-parts.ts';
import { isCsrfOf } from './csrf.ts';
import { fieldsOf } from './fields.ts';
import { rememberAddress } from './known-addresses.ts';
import { callerOfRequest } from './limits.ts';
import { oauthLimits } from './resource-limits.ts';
import { insertSession, noteSessionUse, removeSession, removeSessionsBeyond } from './store.ts';

/**
 * The name of the session's cookie. Because of its prefix, browsers accept it only from this host, over HTTPS and for all paths,
 * so that websites on related hosts can't set it.
 */
const sessionCookieOf = ({ origin }: Pick<RouteParts, 'origin'>, request: FastifyRequest): string =>
  `${isHttps(origin(request)) ? '__Host-' : ''}hearth_session`;

const isHttps = (origin: string): boolean => origin.startsWith('https:');

const sessionDays = 14;

/** The characters of a browser's name that the list of sessions shows. */
const longestAgent = 300;

export type Session = { token: string; account: Account; viewer: SessionViewer };

/**
 * The path to continue at after signing in. Other addresses are ignored, so that a link to the sign-in page can't redirect to
 * another site.
 */
export const localPath = (wanted: string | undefined): string => (wanted !== undefined && isLocalPath(wanted) ? wanted : '/');

/**
 * Where a form may lead that goes on at a path of this server. Some pages of the sign-in redirect to an app or a website, and
 * browsers apply the policy of the form to that as well.
 */
export const targetsBeyond = (path: string): string[] => (path.startsWith('/login/') ? ['http:', 'https:'] : []);

export const toSignIn = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  reply.redirect(`/login?return_to=${encodeURIComponent(request.url)}`, 302);

/** The page where one changes the password, on the way to a path. */
export const toPassword = (path: string): string => `/settings/password?return_to=${encodeURIComponent(path)}`;

/** Whether somebody else has set the password of who is signed in. Until it is changed, pages lead to the one for that. */
export const mustChangePassword = (session: Session | undefined): boolean => session?.account.must_change_password === true;

const found = new WeakMap<FastifyRequest, Promise<Session | undefined>>();

/**
 * The session of a signed-in browser. If a browser sends two cookies, one comes from somebody else, for example from a website on
 * this host; both are then ignored. It is looked up once for a request.
 */
export function sessionOf(parts: RouteParts, request: FastifyRequest): Promise<Session | undefined> {
  const before = found.get(request);
  if (before) return before;
  const session = presentSession(parts, request);
  found.set(request, session);
  return session;
}

/** The session as it is now, for requests that last. */
export async function presentSession(parts: RouteParts, request: FastifyRequest): Promise<Session | undefined> {
  const { database, clock } = parts;
  const name = sessionCookieOf(parts, request);
  const token = isSentTwice(request, name) ? undefined : request.cookies[name];
  if (token === undefined) return undefined;
  const now = clock();
  const session = await findSession(database.db, hashToken(token), now);
  if (!session) return undefined;
  const { viewer, lastUsedAt } = session;
  if (lastUsedAt === null || now.getTime() - lastUsedAt.getTime() > noteAfter)
    await noteSessionUse(database.db, viewer.grant.sessionId, now);
  return { token, account: viewer.account, viewer };
}

/** The milliseconds between two notes of when a session was used. */
const noteAfter = 3_600_000;

const isSentTwice = ({ headers }: FastifyRequest, name: string): boolean =>
  (headers.cookie ?? '').split(';').filter((pair) => pair.trimStart().startsWith(`${name}=`)).length > 1;

/** Whether a page of this session sent the form. */
export const isOwnForm = (parts: RouteParts, request: FastifyRequest, session: Session): boolean =>
  isOwnOrigin(parts, request) && isCsrfOf(session.token, fieldsOf(request).csrf);

/** Whether a page of this server sent the request. Browsers name the origin with each POST; what names none is refused. */
export const isOwnOrigin = ({ origin }: Pick<RouteParts, 'origin'>, request: FastifyRequest): boolean =>
  request.headers.origin === origin(request);

/**
 * Begins a session, and gives the browser its cookie. The token is always a new one, and a session that the browser had before
 * ends, so that nobody can prepare a session for somebody else.
 */
export async function beginSession(
  parts: RouteParts,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  account: Account,
): Promise<void> {
  const before = await sessionOf(parts, request);
  const token = newToken('');
  const now = parts.clock();
  const { sessions, knownAddresses } = parts.services.resourceLimits.of(oauthLimits);
  await change(parts.database.db, async (tx) => {
    if (before) await removeSession(tx, hashToken(before.token));
    await insertSession(tx, {
      hash: hashToken(token),
      account_id: account.id,
      created_at: now,
      signed_in_at: now,
      last_used_at: now,
      expires_at: addDays(now, sessionDays),
      address: request.ip,
      agent: (request.headers['user-agent'] ?? '').slice(0, longestAgent),
    });
    await removeSessionsBeyond(tx, account.id, sessions);
    await rememberAddress(tx, { account: account.id, address: callerOfRequest(request), now, max: knownAddresses });
  });
  const secure = isHttps(parts.origin(request));
  const maxAge = sessionDays * 86_400; // and no time, since clocks of browsers may be wrong
  reply.setCookie(sessionCookieOf(parts, request), token, { path: '/', httpOnly: true, sameSite: 'lax', secure, maxAge });
}

/** Ends the session of a browser. */
export async function endSession(
  parts: RouteParts,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { token }: Session,
): Promise<void> {
  await change(parts.database.db, (tx) => removeSession(tx, hashToken(token)));
  const secure = isHttps(parts.origin(request));
  reply.clearCookie(sessionCookieOf(parts, request), { path: '/', httpOnly: true, sameSite: 'lax', secure });
}
