import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { change } from '#database/connect.ts';
import { hashToken } from '#lib/token.ts';
import { addWebRoutes, fieldsOf, messagePage, sendPage, sessionOf, toSignIn } from '#resources/platform/oauth/index.ts';
import type { RouteParts } from '#resources/route-parts.ts';
import { findWebsite, offerCode, readSignIn, signInPath } from './readers.ts';

/** Where private websites send their readers to sign in. There is no consent page, since a website doesn't learn who reads it. */
export function addWebsiteRoutes(app: FastifyInstance, parts: RouteParts): void {
  addWebRoutes(app, parts, (scope) => scope.get(signInPath, async (request, reply) => leadBack(parts, request, reply)));
}

async function leadBack(parts: RouteParts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { db } = parts.database;
  const wanted = readSignIn(fieldsOf(request));
  if (!wanted) return sendPage(reply, messagePage('This can not be read', 'Open the website again.'), 400);
  const session = await sessionOf(parts, request);
  if (!session) return toSignIn(request, reply);
  const now = parts.clock();
  const site = await findWebsite(db, parts.services.pages, { host: wanted.host, account: session.account, now });
  if (!site) return sendPage(reply, messagePage('Not found', 'There is nothing at this address.'), 404);
  const session_hash = hashToken(session.token);
  const target = await change(db, (tx) => offerCode(tx, site, { ...wanted, session_hash, now }));
  return reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }).redirect(target, 302);
}
