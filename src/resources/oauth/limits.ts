import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callerOf, consumeRequest } from '#access/rate-limits.ts';
import { anonymous } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import type { Caller } from '#lib/caller.ts';
import { Refusal, type RefusalKind } from '#lib/refusal.ts';
import { messagePage } from './pages.ts';
import { send, sendPage } from './replies.ts';
import type { Parts } from './token-routes.ts';

const hour = 3_600;
/** The window of everything but all requests together: as long as a device code lives. */
export const window = 900;

/** Who sends a request of OAuth. Whether a browser is signed in says nothing of who asks, so it is the address. */
export const askerOf = (request: FastifyRequest): Caller => callerOf(anonymous, request.ip);

type Counted = { limit: string; most: number; seconds?: number; message: string };

/**
 * Counts one use of a limit under a key, exactly, however many requests and processes there are at once.
 * @throws Refusal when there are more of them than allowed in the window.
 */
export async function countUse(db: Db, key: string, { limit, most, seconds = window, message }: Counted): Promise<void> {
  const state = await consumeRequest(db, key, 'core', { limit: most, window: seconds });
  if (!state.exceeded) return;
  const retryAfter = Math.max(1, state.reset - Math.floor(Date.now() / 1000));
  throw new Refusal('too_many', message, [], { limit, retryAfter });
}

const clientPaths: ReadonlySet<string | undefined> = new Set(['/login/oauth/access_token', '/login/device/code']);

/** Shares places with all other requests, counts requests by address, and answers those past a limit. */
export function limitRequests(scope: FastifyInstance, parts: Parts): void {
  const { limits, resourceLimits } = parts.services;
  scope.addHook('onRequest', async (request) => {
    if (!limits.enabled) return;
    const most = resourceLimits.oauth.requests;
    const message = 'Too many requests. Please send fewer.';
    const key = `oauth:${askerOf(request).key}`;
    await countUse(parts.database.db, key, { limit: 'oauth.requests', most, seconds: hour, message });
  });
  // After the body has come: one that comes slowly holds no place.
  scope.addHook('preHandler', (request, reply) => parts.admit(askerOf(request), reply));
  scope.setErrorHandler((error, request, reply) => {
    if (!(error instanceof Refusal)) throw error; // for the handler of all routes
    if (error.limit !== undefined) parts.noteRefusal(request, error);
    return sendRefusal(error, request, reply);
  });
}

type Answer = { status: number; title: string; error: string };

const answers: Partial<Record<RefusalKind, Answer>> = {
  // Clients of the device flow know it (RFC 8628, section 3.5).
  too_many: { status: 429, title: 'Please wait', error: 'slow_down' },
  unavailable: { status: 503, title: 'Please wait', error: 'temporarily_unavailable' },
  bad_request: { status: 400, title: 'This can not be read', error: 'invalid_request' },
};

/** A page for people, and an error of OAuth for clients. */
function sendRefusal(refusal: Refusal, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const answer = answers[refusal.kind];
  if (!answer) throw refusal;
  const { status, title, error } = answer;
  if (refusal.retryAfter !== undefined) reply.header('retry-after', String(refusal.retryAfter));
  if (!clientPaths.has(request.routeOptions.url)) return sendPage(reply, messagePage(title, refusal.message), status);
  return send(request, reply.code(status), { error, error_description: refusal.message });
}
