import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callerOf, consumeRequest } from '#access/rate-limits.ts';
import { anonymous } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import type { Caller } from '#lib/caller.ts';
import { Refusal, type RefusalKind } from '#lib/refusal.ts';
import type { RouteParts } from '#resources/route-parts.ts';
import { messagePage } from './pages.ts';
import { send, sendPage } from './replies.ts';
import { oauthLimits } from './resource-limits.ts';

const hour = 3_600;
/** The window, in seconds, of all limits except the one for all requests. It equals the lifetime of a device code. */
const window = 900;

/** The caller at an address, whether or not a browser there is signed in. */
export const callerAt = (address: string): Caller => callerOf(anonymous, address);

export const callerOfRequest = (request: FastifyRequest): Caller => callerAt(request.ip);

type LimitedUse = { limit: string; max: number; seconds?: number; message: string };

/**
 * Counts one use of a limit under a key, exactly, even for concurrent requests in many processes.
 * @throws Refusal if the limit in the window is exceeded
 */
export async function countUse(db: Db, key: string, { limit, max, seconds = window, message }: LimitedUse): Promise<void> {
  const state = await consumeRequest(db, key, 'core', { limit: max, window: seconds });
  if (!state.exceeded) return;
  const retryAfter = Math.max(1, state.reset - Math.floor(Date.now() / 1000));
  throw new Refusal('too_many', message, [], { limit, retryAfter });
}

/** Signing in is admitted after its password was checked, so that those who wait for that don't keep others waiting. */
const waitsForPassword = ({ method, routeOptions }: FastifyRequest): boolean =>
  method === 'POST' && routeOptions.url === '/login';

const clientPaths: ReadonlySet<string | undefined> = new Set(['/login/oauth/access_token', '/login/device/code']);

/** Applies the server's concurrency limit and a rate limit by address, and sends the refusals of all limits. */
export function limitRequests(scope: FastifyInstance, parts: RouteParts): void {
  const { limits, resourceLimits } = parts.services;
  scope.addHook('onRequest', async (request) => {
    if (!limits.enabled) return;
    const max = resourceLimits.of(oauthLimits).requests;
    const message = 'Too many requests. Please send fewer.';
    const key = `oauth:${callerOfRequest(request).key}`;
    await countUse(parts.database.db, key, { limit: 'oauth.requests', max, seconds: hour, message });
  });
  // After the body was received, so that a slow one doesn't occupy a slot.
  scope.addHook('preHandler', async (request, reply) => {
    if (!waitsForPassword(request)) await parts.admit(callerOfRequest(request), reply);
  });
  scope.setErrorHandler((error, request, reply) => {
    if (!(error instanceof Refusal)) throw error; // for the server's error handler
    if (error.limit !== undefined) parts.noteRefusal(request, error);
    return sendRefusal(error, request, reply);
  });
}

type Answer = { status: number; title: string; error: string };

const answers: Partial<Record<RefusalKind, Answer>> = {
  // An error code of the device flow (RFC 8628, section 3.5).
  too_many: { status: 429, title: 'Please wait', error: 'slow_down' },
  unavailable: { status: 503, title: 'Please wait', error: 'temporarily_unavailable' },
  bad_request: { status: 400, title: 'This can not be read', error: 'invalid_request' },
  too_large: { status: 413, title: 'This is too large', error: 'invalid_request' },
  invalid: { status: 422, title: 'This can not be done', error: 'invalid_request' },
};

/** Sends a refusal: as a page to browsers, and as an OAuth error to clients. */
function sendRefusal(refusal: Refusal, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const answer = answers[refusal.kind];
  if (!answer) throw refusal;
  const { status, title, error } = answer;
  if (refusal.retryAfter !== undefined) reply.header('retry-after', String(refusal.retryAfter));
  if (!clientPaths.has(request.routeOptions.url)) return sendPage(reply, messagePage(title, textOf(refusal)), status);
  return send(request, reply.code(status), { error, error_description: refusal.message });
}

/** The message of a refusal for a person. For invalid fields, it describes the first one. */
export function textOf({ message, errors: [first] }: Refusal): string {
  if (first?.message === undefined) return message;
  return first.field === '' || first.message.startsWith(first.field) ? first.message : `${first.field}: ${first.message}`;
}
