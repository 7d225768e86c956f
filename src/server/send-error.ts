import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { isUnavailable } from '#database/connect.ts';
import { databaseLimits } from '#database/limits.ts';
import { hasErrorTexts } from '#endpoint/error-texts.ts';
import type { Services } from '#endpoint/services.ts';
import { isGitError, storageMessage } from '#git/errors.ts';
import { isDiskFull } from '#lib/disk-full.ts';
import { isStorageFailure } from '#lib/folder-marker.ts';
import { Refusal } from '#lib/refusal.ts';
import type { LimitRefusals } from './limit-refusals.ts';
import {
  diskFullMessage,
  emitErrors,
  errorBody,
  isWriteConflict,
  refusalOfGit,
  refusalOfTimeout,
  statusOf,
  textsOf,
  unavailableMessage,
} from './refusals.ts';
import { linksFor } from './request-links.ts';
import { Moved, MovedBelow } from './resolve.ts';
import { routeOf } from './router.ts';

type Parts = { services: Services; log: Logger; url?: string };
type RefusingParts = Parts & { refusals: LimitRefusals };
type Exchange = { request: FastifyRequest; reply: FastifyReply };
type Refused = { status: number; message: string; errors?: Refusal['errors'] };

/** Sends the reply for a thrown error: a refusal, a redirect, or for a fault of the server a 500 with a line in the log. */
export function sendError(parts: RefusingParts, exchange: Exchange, error: unknown): FastifyReply {
  if (error instanceof Moved) return sendMoved(parts, exchange, error);
  if (error instanceof MovedBelow) return sendRedirect(parts, exchange, error.path + queryOf(exchange.request.url));
  return sendRefusal(parts, exchange, refusedBy(parts, exchange, error));
}

/** What a reply says of a thrown error. It sets the headers of a refusal, and logs a fault of the server. */
export function refusedBy(parts: RefusingParts, { request, reply }: Exchange, error: unknown): Refused {
  request.cause = error;
  const fields = { err: error, id: request.id, route: routeOf(request) };
  if (isDiskFull(error)) {
    parts.log.error(fields, 'the disk is full');
    return { status: 503, message: diskFullMessage };
  }
  if (isStorageFailure(error)) {
    parts.log.error(fields, 'the storage cannot be read');
    return { status: 503, message: storageMessage };
  }
  const slow = refusalOfTimeout(error, parts.services.resourceLimits.of(databaseLimits));
  if (slow) parts.log.warn(fields, 'a statement took too long');
  const refusal = slow ?? refusalOf(error);
  if (refusal) {
    parts.refusals.note(request, refusal.limit);
    if (refusal.kind === 'unauthenticated') reply.header('www-authenticate', 'Basic realm="Hearth"');
    if (refusal.retryAfter !== undefined) reply.header('retry-after', String(refusal.retryAfter));
    return { status: statusOf(refusal), message: refusal.message, errors: refusal.errors };
  }
  const fault = clientFault(error);
  if (fault) return fault;
  if (request.method !== 'GET' && isWriteConflict(error)) {
    parts.log.warn(fields, 'a change was overtaken by another');
    return { status: 409, message: 'It was changed by another request at the same time. Please try again.' };
  }
  if (isUnavailable(error)) {
    parts.log.error(fields, 'a request found no connection');
    return { status: 503, message: unavailableMessage };
  }
  parts.log.error(fields, 'a request failed');
  return { status: 500, message: `Server Error (request ${request.id})` };
}

const refusalOf = (error: unknown): Refusal | undefined => {
  if (error instanceof Refusal) return error;
  return isGitError(error) ? refusalOfGit(error) : undefined;
};

/** The refusal for a client error of Fastify itself, such as a malformed URL; undefined for other errors. */
export function clientFault(error: unknown): Refused | undefined {
  if (!(error instanceof Error) || !('statusCode' in error) || typeof error.statusCode !== 'number') return undefined;
  if (error.statusCode === 413) return { status: 413, message: 'The request body is too large' };
  return error.statusCode >= 400 && error.statusCode < 500 ? { status: error.statusCode, message: 'Bad Request' } : undefined;
}

/** Redirects to a repository's current name. */
function sendMoved(parts: Parts, exchange: Exchange, { repo }: Moved): FastifyReply {
  const path = exchange.request.url.replace(/^\/api\/v3/, '');
  const [named = '', team = ''] =
    /^((?:\/orgs\/[^/]+)?\/teams\/[^/]+|\/organizations\/\d+\/team\/\d+)?\/repos\/[^/?]+\/[^/?]+/.exec(path) ?? [];
  return sendRedirect(parts, exchange, `${team}/repos/${repo.owner.login}/${repo.name}${path.slice(named.length)}`);
}

const queryOf = (url: string): string => (url.includes('?') ? url.slice(url.indexOf('?')) : '');

/** Redirects to a path of the API: 301 for GET and HEAD, and 307 for methods that must keep their body. */
function sendRedirect(parts: Parts, { request, reply }: Exchange, path: string): FastifyReply {
  const links = linksFor(parts, request);
  const url = links.api + path;
  return reply
    .code(request.method === 'GET' || request.method === 'HEAD' ? 301 : 307)
    .header('location', url)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ message: 'Moved Permanently', url, documentation_url: `${links.html}/docs` }));
}

/** Sends an error reply. */
export function sendRefusal(parts: Parts, { request, reply }: Exchange, { status, message, errors }: Refused): FastifyReply {
  const emitted = emitErrors(parts.services.vocabulary, errors);
  const shown = request.match && hasErrorTexts(request.match.endpoint) ? textsOf(emitted) : emitted;
  const body = errorBody(status, message, `${linksFor(parts, request).html}/docs`, shown);
  return reply.code(status).type('application/json; charset=utf-8').send(JSON.stringify(body));
}
