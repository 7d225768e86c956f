import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { changeWithoutRequest } from '#endpoint/change-in.ts';
import { withSlot } from '#lib/concurrency-limiter.ts';
import { Refusal } from '#lib/refusal.ts';
import type { RouteParts } from '#resources/route-parts.ts';
import { fieldsOf } from './fields.ts';
import { hashRepeated, isFirstStart, startFirst } from './first-start.ts';
import { callerOfRequest, textOf } from './limits.ts';
import { firstStartPage, firstStepsPage, messagePage, outOfDate } from './pages.ts';
import { sendPage } from './replies.ts';
import { beginSession, isOwnOrigin } from './sessions.ts';

/**
 * The page of the first start. Its address has a token that the server printed when it started, so that nobody else can make the
 * first administrator.
 */
export function addFirstStartRoutes(app: FastifyInstance, parts: RouteParts): void {
  app.get('/setup/:token', async (request, reply) => show(parts, request, reply));
  app.post('/setup/:token', async (request, reply) => submit(parts, request, reply));
}

/** What the address of a request has in the place of the token. */
const tokenOf = (request: FastifyRequest): string => (request.params as { token: string }).token; // the router's own words

const sendAbsent = (reply: FastifyReply): FastifyReply =>
  sendPage(
    reply,
    messagePage(
      'There is nothing here',
      'The address has been used or has expired. If this server has no user yet, start it again: it prints a new one.',
    ),
    404,
  );

async function show(parts: RouteParts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  reply.header('referrer-policy', 'same-origin');
  if (!(await isFirstStart(parts.database.db, tokenOf(request), parts.clock()))) return sendAbsent(reply);
  return sendPage(reply, firstStartPage({ given: {}, action: request.url }));
}

/** A text field; undefined if it was left empty. */
const filled = (text: string | undefined): string | undefined => text?.trim() || undefined;

async function submit(parts: RouteParts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  reply.header('referrer-policy', 'same-origin');
  const { database, services, clock, origin } = parts;
  const { db } = database;
  const token = tokenOf(request);
  const now = clock();
  if (!isOwnOrigin(parts, request)) return sendPage(reply, outOfDate, 403);
  if (!(await isFirstStart(db, token, now))) return sendAbsent(reply);
  const { login = '', password = '', again = '', organization, repository, token: withToken } = fieldsOf(request);
  const given = { login: login.trim(), organization: filled(organization), repository: filled(repository) };
  try {
    const { passwordLimiter } = services;
    const passwordHash = await withSlot(passwordLimiter, callerOfRequest(request), () => hashRepeated(password, again));
    const wanted = { ...given, passwordHash, withToken: withToken === 'yes' };
    const made = await changeWithoutRequest({ db, services, now }, (scope) => startFirst(scope, token, wanted));
    await beginSession(parts, { request, reply }, made.account);
    return sendPage(reply, firstStepsPage({ ...made, login: made.account.login, origin: origin(request) }));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.kind === 'not_found') return sendAbsent(reply);
    if (error.kind !== 'invalid') throw error;
    const problem = textOf(error);
    return sendPage(
      reply,
      firstStartPage({ given: { ...given, repository: repository ?? '' }, action: request.url, problem }),
      422,
    );
  }
}
