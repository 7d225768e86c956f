// The sessions of browsers that are signed in.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { findSession, type SessionViewer } from '#access/sessions.ts';
import type { Account } from '#access/viewer.ts';
import { hashToken } from '#lib/token.ts';
import { isLocalPath } from '#lib/web-address.ts';
import type { RouteParts } from '#resources/route-parts.ts';
import { fieldsOf } from './fields.ts';

/**
 * The name of the session's cookie. Because of its prefix, browsers accept it only from this host, over HTTPS and for all paths,
 * so that websites on related hosts can't set it.
 */
export const sessionCookieOf = ({ origin }: Pick<RouteParts, 'origin'>, request: FastifyRequest): string =>
  `${isHttps(origin(request)) ? '__Host-' : ''}hearth_session`;

export const isHttps = (origin: string): boolean => origin.startsWith('https:');

export const sessionDays = 14;

export type Session = { token: string; account: Account; viewer: SessionViewer };

/**
 * The path to continue at after signing in. Other addresses are ignored, so that a link to the sign-in page can't redirect to
 * another site.
 */
export const localPath = (wanted: string | undefined): string => (wanted !== undefined && isLocalPath(wanted) ? wanted : '/docs');

export const toSignIn = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  reply.redirect(`/login?return_to=${encodeURIComponent(request.url)}`, 302);

/**
 * The session of a signed-in browser. If a browser sends two cookies, one comes from somebody else, for example from a website on
 * this host; both are then ignored.
 */
export async function sessionOf(parts: RouteParts, request: FastifyRequest): Promise<Session | undefined> {
  const { database, clock } = parts;
  const name = sessionCookieOf(parts, request);
  const token = isSentTwice(request, name) ? undefined : request.cookies[name];
  if (token === undefined) return undefined;
  const found = await findSession(database.db, hashToken(token), clock());
  return found && { token, account: found.viewer.account, viewer: found.viewer };
}

const isSentTwice = ({ headers }: FastifyRequest, name: string): boolean =>
  (headers.cookie ?? '').split(';').filter((pair) => pair.trimStart().startsWith(`${name}=`)).length > 1;

/** The token in the forms of a session. Other sites can't know it, so they can't submit a form for the user. */
export const csrfOf = (session: string): string => createHmac('sha256', session).update('csrf').digest('base64url');

/** Whether a page of this session sent the form. */
export function isOwnForm(parts: RouteParts, request: FastifyRequest, session: Session): boolean {
  const given = Buffer.from(fieldsOf(request).csrf ?? '');
  const expected = Buffer.from(csrfOf(session.token));
  return isOwnOrigin(parts, request) && given.length === expected.length && timingSafeEqual(given, expected);
}

export const isOwnOrigin = ({ origin }: RouteParts, request: FastifyRequest): boolean =>
  request.headers.origin === undefined || request.headers.origin === origin(request);
