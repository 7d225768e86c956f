// The server from which actions come that no repository of this server provides. Git's requests are forwarded and never
// redirected there, since clients would send it their credentials.

import { pipeline, type Readable, Transform } from 'node:stream';
import type { Logger } from 'pino';
import type { Services } from '#endpoint/services.ts';
import { GitError } from '#git/errors.ts';
import { protocolOf } from '#git/transport/smart-http.ts';
import type { Caller } from '#lib/caller.ts';
import { Refusal } from '#lib/refusal.ts';
import type { StreamedReply } from '#net/outbound.ts';
import { OutboundError } from '#net/target.ts';
import { workflowLimits } from '#resources/actions/workflows/index.ts';
import type { MeasuredReply } from './reading-rate.ts';

type Parts = { services: Services; log: Logger };

/** A repository of the origin. */
export type OriginName = { readonly owner: string; readonly repo: string };

export type OriginRequest = OriginName & {
  /** The caller that the request counts against. */
  readonly caller: Caller;
  /** The header `Git-Protocol`. */
  readonly protocol?: string | undefined;
  /** The request for the repository. If omitted, its refs are requested. */
  readonly wants?: { readonly bytes: Buffer; readonly gzip: boolean };
  /** Ends the wait for a slot, and for the origin, when the client disconnects. */
  readonly signal: AbortSignal;
  /** Measures how fast the client reads the answer. */
  readonly reading: MeasuredReply;
};

/** The origin's reply, or the repository's current name there; undefined if the origin has no such public repository. */
type OriginAnswer = { readonly stream: Readable } | { readonly moved: OriginName } | undefined;

/**
 * Requests the refs of a repository, or objects, from the origin. The origin learns nothing about the caller.
 * @throws Refusal 502 if it doesn't reply as Git does; 429 and 503 as `ConcurrencyLimiter.acquire`
 */
export async function askOrigin(parts: Parts, asked: OriginRequest): Promise<OriginAnswer> {
  const { actionsOrigin, originLimiter } = parts.services;
  if (actionsOrigin === undefined) return undefined;
  const { signal, reading } = asked;
  const release = await originLimiter.acquire(asked.caller, { signal, work: reading });
  reading.begin();
  const answer = await send(parts, actionsOrigin, asked).catch((error) => {
    release();
    throw error;
  });
  if (answer === undefined || 'moved' in answer) release();
  else answer.stream.once('close', release);
  return answer;
}

async function send({ services, log }: Parts, origin: string, asked: OriginRequest): Promise<OriginAnswer> {
  const { owner, repo, wants } = asked;
  const url = new URL(`${origin}/${owner}/${repo}/${wants ? 'git-upload-pack' : refs}`);
  const limits = services.resourceLimits.of(workflowLimits);
  const fail = (message: string, limit?: string): never => {
    log.warn({ origin, repository: `${owner}/${repo}`, problem: message }, 'the origin of actions failed');
    throw new Refusal('bad_gateway', `The origin of actions, ${url.host}, ${message}`, [], limit === undefined ? {} : { limit });
  };
  const request = {
    url,
    ...exchangeOf(asked, `git/hearth-${services.version}`),
    timeout: limits.originSilence,
    stopped: asked.signal,
  };
  const reply = await services.ownServers.stream(request).catch((error: unknown) => {
    if (!(error instanceof OutboundError)) throw error;
    log.warn({ err: error, origin, repository: `${owner}/${repo}` }, 'the origin of actions was not reached');
    throw new Refusal(
      'bad_gateway',
      `The origin of actions, ${url.host}, ${error.kind === 'timeout' ? 'does not answer' : 'cannot be reached'}`,
    );
  });
  const { status, headers, body } = reply;
  if (status === 200) {
    const problem = problemOf(reply, wants ? 'result' : 'advertisement');
    if (problem === undefined && Number(headers['content-length'] ?? 0) <= limits.originBytes)
      return { stream: bounded(body, { ...limits, log, signal: asked.signal }) };
    body.destroy();
    return problem === undefined ? fail('answers more than is passed on', 'workflows.originBytes') : fail(problem);
  }
  body.destroy();
  if (notThere.has(status)) return undefined;
  if (!redirects.has(status)) return fail(`answers with status ${status}`);
  const moved = wants ? undefined : movedTo(URL.parse(headers.location ?? '', url.href), url);
  return moved ? { moved } : fail('redirects elsewhere, which is not followed');
}

const refs = 'info/refs?service=git-upload-pack';
/** The statuses of servers for a repository that doesn't exist or isn't public. */
const notThere: ReadonlySet<number> = new Set([401, 403, 404, 410, 451]);
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** The request as Git would send it. Only the protocol version and the requested data come from the client. */
function exchangeOf({ protocol, wants }: OriginRequest, userAgent: string) {
  const version = protocolOf(protocol);
  const headers = { 'user-agent': userAgent, ...(version && { 'git-protocol': version }) };
  if (!wants) return { method: 'GET', headers: { ...headers, accept: 'application/x-git-upload-pack-advertisement' } };
  return {
    method: 'POST',
    headers: {
      ...headers,
      accept: 'application/x-git-upload-pack-result',
      'content-type': 'application/x-git-upload-pack-request',
      ...(wants.gzip && { 'content-encoding': 'gzip' }),
    },
    body: wants.bytes,
  };
}

function problemOf({ headers }: StreamedReply, part: 'advertisement' | 'result'): string | undefined {
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() !== `application/x-git-upload-pack-${part}`) return 'does not answer as Git does';
  const encoding = headers['content-encoding'] ?? 'identity';
  return encoding === 'identity' ? undefined : 'sends a compressed reply, which was not requested';
}

/**
 * The new name in a redirect to the same server, for example of a renamed repository. The client repeats its request with that
 * name.
 */
function movedTo(to: URL | null, from: URL): OriginName | undefined {
  if (to?.origin !== from.origin || to.search !== from.search || to.pathname === from.pathname) return undefined;
  const [, owner, repo] = /^\/([^/]+)\/([^/]+)\/info\/refs$/.exec(to.pathname) ?? [];
  return owner && repo && isName(owner) && isName(repo) ? { owner, repo } : undefined;
}

/** Whether a path segment may be the name of an owner or a repository, here or elsewhere. */
export const isName = (word: string): boolean => /^(?!\.+$)[\w.-]{1,100}$/.test(word);

type Bounds = { originBytes: number; originTime: number; log: Logger; signal: AbortSignal };

/** A body that fails beyond the limits on bytes and time. It is destroyed with the reply that contains it. */
function bounded(body: Readable, { originBytes, originTime, log, signal }: Bounds): Readable {
  let bytes = 0;
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      done(bytes > originBytes ? beyond('too-large', 'workflows.originBytes') : null, chunk);
    },
  });
  const timer = setTimeout(() => counted.destroy(beyond('timeout', 'workflows.originTime')), originTime);
  counted.once('close', () => clearTimeout(timer));
  pipeline(body, counted, (error) => {
    if (error && !signal.aborted && error.code !== 'ERR_STREAM_PREMATURE_CLOSE')
      log.warn({ err: error, bytes }, 'an answer of the origin of actions broke off');
  });
  return counted;
}

const beyond = (kind: 'too-large' | 'timeout', limit: string): GitError =>
  new GitError(kind, `The answer of the origin of actions is beyond ${limit}`, '', limit);
