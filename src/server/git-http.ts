import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { callerOf } from '#access/rate-limits.ts';
import type { Repo, Viewer } from '#access/viewer.ts';
import { change, type Database, isUnavailable } from '#database/connect.ts';
import type { Services } from '#endpoint/services.ts';
import { GitError, type GitErrorKind, isGitError } from '#git/errors.ts';
import type { GitStore } from '#git/repo.ts';
import { repoOf, storeFor } from '#git/store.ts';
import { type PushHandlers, receivePack } from '#git/transport/receive-pack.ts';
import { advertiseRefs, type ExchangeOptions, type Service, services, uploadPack } from '#git/transport/smart-http.ts';
import { isDiskFull } from '#lib/disk-full.ts';
import { Refusal } from '#lib/refusal.ts';
import { pushHandlers } from '#resources/pushes/index.ts';
import { type Opened, openRepository, refuseUnmodifiable } from './git-access.ts';
import type { LimitRefusals } from './limit-refusals.ts';
import { sendContinue } from './read-body.ts';
import { diskFullMessage, refusalOfTimeout, statusOf, unavailableMessage } from './refusals.ts';
import { linksFor } from './request-links.ts';
import { Moved } from './resolve.ts';
import { clientFault } from './send-error.ts';
import type { SignIn } from './sign-in.ts';

type Parts = {
  database: Database;
  services: Services;
  log: Logger;
  clock: () => Date;
  url?: string;
  signIn: SignIn;
  refusals: LimitRefusals;
};

type GitRequest = { Params: { owner: string; repo: string }; Querystring: { service?: string } };
type Request = FastifyRequest<GitRequest>;

/**
 * Git's smart HTTP: `/{owner}/{repo}.git/info/refs`, `…/git-upload-pack` and `…/git-receive-pack`, the `.git` being optional.
 * Bodies are streamed to Git. These requests don't count against the rate limits of the API.
 */
export function addGitHttp(app: FastifyInstance, parts: Parts): void {
  app.register(async (scope) => {
    scope.setErrorHandler((error, request, reply) => refuse(parts, error, request as Request, reply)); // of these routes alone
    scope.get<GitRequest>('/:owner/:repo/info/refs', { exposeHeadRoute: false }, (request, reply) =>
      sendRefs(parts, request, reply),
    );
    for (const service of services) {
      scope.post<GitRequest>(`/:owner/:repo/${service}`, (request, reply) => exchange(parts, service, request, reply));
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
  const disk = repoOf(git, repo.id);
  const options = optionsOf(parts, request, reply);
  const body =
    service === 'git-upload-pack'
      ? await uploadPack(disk, request.raw, options)
      : await receivePack(disk, request.raw, { ...options, ...handlersOf(parts, opened) });
  return uncached(reply).type(`application/x-${service}-result`).send(body);
}

type Exchange = Opened & { viewer: Viewer; git: GitStore };

async function open(parts: Parts, service: Service, request: Request): Promise<Exchange> {
  const { viewer } = await parts.signIn(request, parts.clock());
  const { owner, repo: name } = request.params;
  request.caller = callerOf(viewer, request.ip);
  const git = storeFor(parts.services.git, request.caller);
  return { ...(await openRepository({ db: parts.database.db, viewer, owner, name, service })), viewer, git };
}

function handlersOf(
  { database: { db }, services: { refRules }, clock, log }: Parts,
  { git, repo, viewer, modifies }: Exchange,
): PushHandlers {
  const context = { db, git, refRules, change: <T>(work: Parameters<typeof change<T>>[1]) => change(db, work) };
  const handlers = pushHandlers({ context, clock, repo, actor: viewer.account?.id });
  return {
    ...handlers,
    async before(commands) {
      const refused = modifies ? await refuseUnmodifiable(db, viewer, repo, commands) : new Map();
      const rest = commands.filter(({ ref }) => !refused.has(ref));
      const verdict = rest.length === 0 ? {} : await handlers.before?.(rest);
      return { ...verdict, refused: new Map([...refused, ...(verdict?.refused ?? [])]) };
    },
    failed: async (error: Error) => {
      const level = isGitError(error, 'aborted') ? 'info' : 'warn';
      log[level]({ err: error, repository: repo.id }, 'a push broke off');
      await handlers.failed?.(error);
    },
  };
}

const gzips = ['gzip', 'x-gzip'];

function optionsOf(parts: Parts, request: Request, reply: FastifyReply): ExchangeOptions {
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

const uncached = (reply: FastifyReply): FastifyReply =>
  reply.headers({
    'cache-control': 'no-cache, max-age=0, must-revalidate',
    expires: 'Fri, 01 Jan 1980 00:00:00 GMT',
    pragma: 'no-cache',
  });

const gitStatuses: Record<GitErrorKind, number> = {
  'not-found': 404,
  conflict: 409,
  timeout: 503,
  'too-large': 413,
  invalid: 400,
  aborted: 400,
  failed: 500,
};

/** Whether a client disconnected while its reply was sent. */
const isClientDisconnect = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';

/** Sends an error as plain text, which git shows to its user. */
function refuse(parts: Parts, thrown: unknown, request: Request, reply: FastifyReply): FastifyReply {
  const error = refusalOfTimeout(thrown, parts.services.resourceLimits.database) ?? thrown;
  const send = (status: number, message: string) =>
    uncached(reply).code(status).type('text/plain; charset=utf-8').send(`${message}\n`);
  if (error instanceof Moved) return redirect(parts, error.repo, request, reply);
  if (error instanceof Refusal) {
    parts.refusals.note(request, error.limit);
    if (error.kind === 'unauthenticated') reply.header('www-authenticate', 'Basic realm="Hearth"');
    if (error.retryAfter !== undefined) reply.header('retry-after', String(error.retryAfter));
    return send(statusOf(error), error.message);
  }
  const fields = { err: error, id: request.id, route: request.routeOptions.url };
  if (isDiskFull(error)) {
    parts.log.error(fields, 'the disk is full');
    return send(503, diskFullMessage);
  }
  if (isClientDisconnect(error)) {
    parts.log.info(fields, 'a client of Git went away');
    return send(gitStatuses.aborted, 'The client went away');
  }
  if (isGitError(error) && error.kind !== 'failed') {
    parts.refusals.note(request, error.limit);
    return send(gitStatuses[error.kind], error.message);
  }
  if (isUnavailable(error)) {
    parts.log.error(fields, 'a request of Git found no connection');
    return send(503, unavailableMessage);
  }
  const fault = clientFault(error);
  if (fault) return send(fault.status, fault.message);
  parts.log.error(fields, 'a request of Git failed');
  return send(500, `Server Error (request ${request.id})`);
}

/** Redirects to a repository's present name. Git follows the redirect of `info/refs` and uses the new name from then on. */
function redirect(parts: Parts, repo: Repo, request: Request, reply: FastifyReply): FastifyReply {
  const rest = request.url.replace(/^\/[^/]+\/[^/]+/, '');
  const url = `${linksFor(parts, request).html}/${repo.owner.login}/${repo.name}.git${rest}`;
  return reply
    .code(request.method === 'GET' ? 301 : 307)
    .header('location', url)
    .send();
}
