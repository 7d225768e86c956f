import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callerOf } from '#access/rate-limits.ts';
import type { Repo, Viewer } from '#access/viewer.ts';
import { GitError } from '#git/errors.ts';
import { repoOf } from '#git/store.ts';
import { receivePack } from '#git/transport/receive-pack.ts';
import { advertiseRefs, type ExchangeOptions, type Service, services, uploadPack } from '#git/transport/smart-http.ts';
import type { Caller } from '#lib/caller.ts';
import { Refusal } from '#lib/refusal.ts';
import { type Exchange, failureOf, type GitFailure, type GitParts, handlersOf, openExchange, recheckOf } from './git-exchange.ts';
import type { LimitRefusals } from './limit-refusals.ts';
import { sendContinue } from './read-body.ts';
import { linksFor } from './request-links.ts';
import { Moved } from './resolve.ts';
import { clientFault } from './send-error.ts';
import type { SignIn } from './sign-in.ts';

/** The parts that Git's smart HTTP needs. */
export type GitHttpParts = GitParts & { url?: string; signIn: SignIn; refusals: LimitRefusals };
type Parts = GitHttpParts;

export type GitHttpRoute = { Params: { owner: string; repo: string }; Querystring: { service?: string } };
export type GitHttpRequest = FastifyRequest<GitHttpRoute>;
type Request = GitHttpRequest;

/**
 * Git's smart HTTP: `/{owner}/{repo}.git/info/refs`, `…/git-upload-pack` and `…/git-receive-pack`, with an optional `.git`.
 * Bodies are streamed to Git. The API's rate limits don't count these requests.
 */
export function addGitHttp(app: FastifyInstance, parts: Parts): void {
  app.register(async (scope) => {
    scope.setErrorHandler((error, request, reply) => refuse(parts, error, request as Request, reply)); // for these routes only
    scope.get<GitHttpRoute>('/:owner/:repo/info/refs', { exposeHeadRoute: false }, (request, reply) =>
      sendRefs(parts, request, reply),
    );
    for (const service of services) {
      scope.post<GitHttpRoute>(`/:owner/:repo/${service}`, (request, reply) => exchange(parts, service, request, reply));
    }
  });
}

async function sendRefs(parts: Parts, request: Request, reply: FastifyReply): Promise<FastifyReply> {
  const service = services.find((name) => name === request.query.service);
  if (!service) throw new Refusal('forbidden', 'Only the smart HTTP protocol is spoken here: upgrade your Git client');
  const { repo, git } = await open(parts, service, request);
  const body = await advertiseRefs(repoOf(git, repo.id), service, optionsOf(parts, request, reply));
  return uncached(reply).type(`application/x-${service}-advertisement`).send(body);
}

async function exchange(parts: Parts, service: Service, request: Request, reply: FastifyReply): Promise<FastifyReply> {
  if (request.headers['content-type'] !== `application/x-${service}-request`)
    throw new Refusal('unsupported_media', `The body must be application/x-${service}-request`);
  const opened = await open(parts, service, request);
  const { repo, git } = opened;
  sendContinue({ request, reply });
  const gitRepository = repoOf(git, repo.id);
  const options = optionsOf(parts, request, reply);
  const body =
    service === 'git-upload-pack'
      ? await uploadPack(gitRepository, request.raw, { ...options, recheck: recheckOf(parts, opened, opened.openAgain) })
      : await receivePack(gitRepository, request.raw, { ...options, ...handlersOf(parts, opened) });
  return uncached(reply).type(`application/x-${service}-result`).send(body);
}

async function open(parts: Parts, service: Service, request: Request): Promise<Exchange> {
  const { owner, repo: name } = request.params;
  const { viewer, caller } = await signedIn(parts, request);
  const signInAgain = async () => (await parts.signIn(request, parts.clock())).viewer;
  const opened = await openExchange(parts, { viewer, signInAgain, caller, owner, name, service });
  request.repository = `${opened.repo.owner.login}/${opened.repo.name}`;
  return opened;
}

/** The sender of a request, and the caller that it counts against. */
export async function signedIn(parts: Parts, request: Request): Promise<{ viewer: Viewer; caller: Caller }> {
  const { viewer } = await parts.signIn(request, parts.clock());
  const caller = callerOf(viewer, request.ip);
  request.caller = caller;
  return { viewer, caller };
}

const gzips = ['gzip', 'x-gzip'];

/** The client's protocol options, and whether it is still connected. */
export function optionsOf(
  parts: Parts,
  request: Request,
  reply: FastifyReply,
): ExchangeOptions & { gzip: boolean; signal: AbortSignal } {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity' && !gzips.includes(encoding))
    throw new Refusal('unsupported_media', 'The body may be packed by gzip alone');
  const protocol = request.headers['git-protocol'];
  // While git works, it sends progress every few seconds. A connection that is silent for longer is closed.
  reply.raw.setTimeout(parts.services.git.limits.transferIdle, () => reply.raw.destroy());
  const disconnected = new AbortController();
  reply.raw.once(
    'close',
    () => reply.raw.writableFinished || disconnected.abort(new GitError('aborted', 'The client went away')),
  );
  return {
    protocol: typeof protocol === 'string' ? protocol : undefined,
    gzip: gzips.includes(encoding),
    signal: disconnected.signal,
  };
}

/** No cache may store Git's replies. */
export const uncached = (reply: FastifyReply): FastifyReply =>
  reply.headers({
    'cache-control': 'no-cache, max-age=0, must-revalidate',
    expires: 'Fri, 01 Jan 1980 00:00:00 GMT',
    pragma: 'no-cache',
  });

/** Sends an error as plain text, which git shows to its user. */
export function refuse(parts: Parts, error: unknown, request: Request, reply: FastifyReply): FastifyReply {
  const send = (status: number, message: string) =>
    uncached(reply).code(status).type('text/plain; charset=utf-8').send(`${message}\n`);
  if (error instanceof Moved) return redirect(parts, error.repo, request, reply);
  request.cause = error;
  const fields = { id: request.id, route: request.routeOptions.url };
  const failure = failureOf(parts, error, fields) ?? clientFault(error);
  if (!failure) {
    parts.log.error({ err: error, ...fields }, 'a request of Git failed');
    return send(500, `Server Error (request ${request.id})`);
  }
  const { refusal, limit }: Partial<GitFailure> = failure;
  parts.refusals.note(request, limit);
  if (refusal?.kind === 'unauthenticated') reply.header('www-authenticate', 'Basic realm="Hearth"');
  if (refusal?.retryAfter !== undefined) reply.header('retry-after', String(refusal.retryAfter));
  return send(failure.status, failure.message);
}

/** Redirects to a repository's current name. Git follows the redirect of `info/refs` and uses the new name from then on. */
function redirect(parts: Parts, repo: Repo, request: Request, reply: FastifyReply): FastifyReply {
  const rest = request.url.replace(/^\/[^/]+\/[^/]+/, '');
  const url = `${linksFor(parts, request).html}/${repo.owner.login}/${repo.name}.git${rest}`;
  return reply
    .code(request.method === 'GET' ? 301 : 307)
    .header('location', url)
    .send();
}
