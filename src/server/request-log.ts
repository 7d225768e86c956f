// The log line of a request: who requested what, from where, and how it ended. See docs/logs.md.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { isSshKey, isToken, type Viewer } from '#access/viewer.ts';
import { protocolPath } from '#runner-protocol/parts.ts';
import { livePath } from './console/live-path.ts';
import { routeOf } from './router.ts';

/** Milliseconds after which the log reports requests and statements as slow; 0 for never. */
export type SlowThresholds = { readonly request: number; readonly statement: number };

export const defaultSlowThresholds: SlowThresholds = { request: 5_000, statement: 1_000 };

/** The credential of a request: its kind and its ids, never its text. */
type LoggedCredential = {
  credential?: string;
  token?: number;
  session?: number;
  key?: number;
  app?: number;
  installation?: number;
};

export function loggedCredential({ grant }: Viewer): LoggedCredential {
  if (grant.kind === 'none') return {};
  return {
    credential: grant.kind,
    ...(isToken(grant) ? { token: grant.tokenId } : {}),
    ...(grant.kind === 'session' ? { session: grant.sessionId } : {}),
    ...(isSshKey(grant) ? { key: grant.keyId } : {}),
    ...('appId' in grant && grant.appId !== undefined ? { app: grant.appId } : {}),
    ...(grant.kind === 'installation' ? { installation: grant.installationId } : {}),
  };
}

const longestAgent = 200;
/** Names are shorter. A token may be in the position of a name or a program. */
const mayBeSecret = /[A-Za-z0-9_]{36}/;

/** The name that a client gives itself. */
export const loggedAgent = (agent: string | undefined): string | undefined =>
  agent === undefined || mayBeSecret.test(agent) ? undefined : agent.slice(0, longestAgent);

/** The repository in a path, which may not exist. */
export function loggedRepository(owner: unknown, name: unknown): string | undefined {
  if (typeof owner !== 'string' || typeof name !== 'string') return undefined;
  const text = `${owner}/${name.replace(/\.git$/, '')}`;
  return /^[\w.-]+\/[\w.-]+$/.test(text) && !mayBeSecret.test(text) ? text : undefined;
}

const longestCause = 500;
const deepestCause = 4;

/** Why a request failed: the messages of an error and of its causes. */
export function causeText(error: unknown): string {
  const texts: string[] = [];
  for (let one = error; one !== undefined && texts.length < deepestCause; one = one instanceof Error ? one.cause : undefined)
    texts.push(one instanceof Error ? `${one.name}: ${one.message}` : String(one));
  return texts.join('; caused by ').slice(0, longestCause);
}

/** Paths that monitoring requests every few seconds. They are logged at level debug. */
const probePaths = new Set(['/healthz', '/readyz', '/metrics']);

/** Logs a request with its reply. It is a warning if the request was slow or the server failed. */
export function logRequest(log: Logger, request: FastifyRequest, reply: FastifyReply, slow: SlowThresholds): void {
  const route = routeOf(request);
  const status = reply.statusCode;
  const ms = Math.round(reply.elapsedTime);
  // Requests of runners wait for jobs, and those of pages that are kept current for changes.
  const isSlow = slow.request > 0 && ms >= slow.request && !route?.startsWith(`${protocolPath}/`) && route !== livePath;
  const isProbe = route !== undefined && probePaths.has(route);
  const level = isSlow || (status >= 500 && !isProbe) ? 'warn' : isProbe ? 'debug' : 'info';
  if (!log.isLevelEnabled(level)) return;
  const { id, method, actor, runner, credential, ip: address, match, params, cause } = request;
  const words = (match?.words ?? params) as { readonly owner?: unknown; readonly repo?: unknown } | null | undefined;
  const fields = {
    id,
    method,
    route,
    repository: request.repository ?? loggedRepository(words?.owner, words?.repo),
    actor,
    ...(runner === undefined ? {} : { runner }),
    ...credential,
    address,
    agent: loggedAgent(request.headers['user-agent']),
    status,
    ms,
    ...(isSlow ? { slow: true } : {}),
    ...(status >= 500 && cause !== undefined ? { cause: causeText(cause) } : {}),
  };
  log[level](fields, `${method} ${route ?? 'unknown'} ${status}`);
}
