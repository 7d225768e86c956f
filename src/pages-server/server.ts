import type { AddressInfo } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { isUnavailable } from '#database/connect.ts';
import { isGitError } from '#git/errors.ts';
import { isStorageFailure } from '#lib/folder-marker.ts';
import { requestLimits } from '#lib/limits/requests.ts';
import { Refusal } from '#lib/refusal.ts';
import { StartupError } from '#lib/startup-error.ts';
import { connectionOptions, limitConnections } from '#server/connections.ts';
import type { Hearth, Settings } from '#server/hearth.ts';
import { drain } from '#server/listen.ts';
import { refusalOfGit, statusOf } from '#server/refusals.ts';
import { checkAddress } from '#server/request-address.ts';
import { clientFault } from '#server/send-error.ts';
import { boundUnreadBodies } from '#server/unread-body.ts';
import { answerer } from './answer.ts';
import { siteHeaders } from './send.ts';

/** The parts of Hearth that the server needs. */
export type PagesParts = Pick<Hearth, 'database' | 'services'> &
  Pick<Settings, 'log' | 'tls' | 'trustedProxies' | 'clock'> & { refusals: FastifyInstance['limitRefusals'] };

/** The server for repositories' websites. It serves nothing else. */
export type PagesServer = {
  app: FastifyInstance;
  /** The port that it listens on. */
  port: number;
  /** Ends idle connections, and waits for replies in progress. */
  drain(): Promise<void>;
  close(): Promise<void>;
};

/**
 * Listens for requests for websites.
 * @throws StartupError with the reason, for the operator
 */
export async function openPagesServer(parts: PagesParts, at: { host: string; port: number }): Promise<PagesServer> {
  const app = buildPages(parts);
  await listen(app, at);
  const { port } = app.server.address() as AddressInfo; // it listens on a port
  return { app, port, drain: () => drain(app), close: () => app.close() };
}

function buildPages(parts: PagesParts): FastifyInstance {
  const { services, log, tls, trustedProxies, refusals } = parts;
  const bounds = services.resourceLimits.of(requestLimits);
  const http = connectionOptions(bounds);
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    requestTimeout: 0,
    keepAliveTimeout: bounds.idleConnection,
    trustProxy: trustedProxies ?? false,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    // All paths belong to websites, in any form.
    rewriteUrl: () => '/',
    ...(tls ? { https: { ...tls, ...http } } : { http }),
  }) as unknown as FastifyInstance; // the https variant has the same routes and hooks
  app.decorate('drainState', { draining: false, closing: false });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _body, done) => done(null));
  limitConnections(app, { bounds, refusals, trustedProxies });
  boundUnreadBodies(app, bounds);
  app.addHook('onRequest', (request, reply, done) => {
    checkAddress(request);
    if (app.drainState.closing) reply.header('connection', 'close');
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const { method, host } = request;
    const fields = { method, host, path: pathOf(request), status: reply.statusCode, ms: Math.round(reply.elapsedTime) };
    log.debug(fields, `${method} of a website ${reply.statusCode}`);
    done();
  });
  app.setErrorHandler((error, request, reply) => sendFailure(parts, request, reply, error));
  app.setNotFoundHandler((_request, reply) =>
    reply
      .code(405)
      .headers({ ...siteHeaders, allow: 'GET, HEAD' })
      .type(plain)
      .send('Websites are read by GET and HEAD.\n'),
  );
  const answer = answerer({ ...parts, knowsProtocol: tls !== undefined || (trustedProxies ?? []).length > 0 });
  app.get('/', { exposeHeadRoute: true }, answer);
  return app;
}

/** Without the query, which may contain a code. */
const pathOf = ({ originalUrl }: FastifyRequest): string => originalUrl.split('?', 1)[0] ?? '';

const plain = 'text/plain; charset=utf-8';

async function listen(app: FastifyInstance, { host, port }: { host: string; port: number }): Promise<void> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE')
      throw new StartupError(
        `Port ${port} of ${host} is in use, which is for websites: stop what listens there, or choose another by ` +
          '--pages-port, or off',
      );
    if (code === 'EACCES')
      throw new StartupError(`Port ${port} may not be used by this account: choose one above 1023 by --pages-port`);
    throw error;
  }
}

function sendFailure({ log, refusals }: PagesParts, request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
  const refusal = error instanceof Refusal ? error : isGitError(error) ? refusalOfGit(error) : undefined;
  if (refusal) refusals.note(request, refusal.limit);
  const fault = refusal ? { status: statusOf(refusal), message: refusal.message } : clientFault(error);
  const status = fault?.status ?? (isUnavailable(error) || isStorageFailure(error) ? 503 : 500);
  if (!fault || isStorageFailure(error))
    log.error({ err: error, host: request.host, path: pathOf(request) }, 'a request for a website failed');
  if (refusal?.retryAfter !== undefined) reply.header('retry-after', String(refusal.retryAfter));
  // The headers of a private website may already be set.
  if (!reply.hasHeader('cache-control')) reply.headers(siteHeaders);
  return reply
    .code(status)
    .type(plain)
    .send(`${fault?.message ?? 'The website cannot be read now.'}\n`);
}
