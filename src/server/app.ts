import { randomUUID } from 'node:crypto';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import type { Logger } from 'pino';
import type { Histogram } from 'prom-client';
import { callerOf } from '#access/rate-limits.ts';
import { everybody } from '#access/viewer.ts';
import type { Database } from '#database/connect.ts';
import { changeIn } from '#endpoint/change-in.ts';
import type { Endpoint } from '#endpoint/endpoint.ts';
import { openScope } from '#endpoint/scope.ts';
import type { Services } from '#endpoint/services.ts';
import { storeFor } from '#git/store.ts';
import { requestLimits } from '#lib/limits/requests.ts';
import { notFound } from '#lib/refusal.ts';
import { transferLimits } from '#objects/limits.ts';
import type { NamedSchemas } from '#openapi/components.ts';
import { isOfJob } from '#resources/repositories/apps/index.ts';
import type { AddRoutes, RouteParts } from '#resources/route-parts.ts';
import { addResultsService } from '#results-service/route.ts';
import { addRunnerProtocol } from '#runner-protocol/route.ts';
import { admit } from './admit.ts';
import { admitDownload } from './admit-download.ts';
import { connectionOptions, limitConnections } from './connections.ts';
import { addConsole } from './console/route.ts';
import { addPreflight } from './cors.ts';
import { addDescription } from './description.ts';
import { addDownloads } from './downloads.ts';
import { addGitActions } from './git-actions.ts';
import { addGitHttp } from './git-http.ts';
import { handleRequest } from './handle-request.ts';
import { accessHeaders, emitReplyHeaders, headersOf } from './headers.ts';
import { addHealth } from './health.ts';
import { addIdentityTokens } from './identity-tokens.ts';
import { openLimitRefusals } from './limit-refusals.ts';
import { allLimiters } from './limiters.ts';
import { addMetrics, type MetricsReader } from './metrics.ts';
import { type BodyReader, bodyReader } from './read-body.ts';
import { measureUnread } from './reading-rate.ts';
import { checkAddress } from './request-address.ts';
import { linksFor } from './request-links.ts';
import { defaultSlowThresholds, logRequest, type SlowThresholds } from './request-log.ts';
import { firstQuery, readPath } from './resolve.ts';
import { apiPrefix, type Match, routerOf } from './router.ts';
import { sendError, sendRefusal } from './send-error.ts';
import { sendFile } from './send-file.ts';
import { type SignIn, signInTo } from './sign-in.ts';
import { boundUnreadBodies } from './unread-body.ts';
import { answerUnreadable } from './unreadable.ts';

/** The parts of the application. */
type Parts = {
  endpoints: readonly (Endpoint & { readonly family: string })[];
  /** Functions that add the routes outside of the API. */
  routes: readonly AddRoutes[];
  /** The schemas with names in the OpenAPI document. */
  schemas: NamedSchemas;
  database: Database;
  services: Services;
  log: Logger;
  clock: () => Date;
  /** The configured address of the server; undefined if links use the host of each request. */
  url?: string;
  /** Addresses and ranges of the proxies whose X-Forwarded headers are used. */
  trustedProxies?: string[];
  adminTokenHash?: Buffer;
  tls?: { key: string; cert: string };
  readMetrics?: MetricsReader;
  slow?: SlowThresholds;
  /** The metric of the file store's durations. */
  objectMetric?: Histogram;
  /** The folder of the embedded PostgreSQL, if that is used. */
  databaseFolder?: string | undefined;
};

/** Enough for a search of 10,000 percent-encoded characters, so that a query that is too long gets its own error. */
const maxHeaderSize = 128 * 1024;

/** No route has a Fastify schema. Otherwise its compilers would be loaded at each start; see `endpoint/validate.ts`. */
const noCompiler = (): never => {
  throw new Error('Routes have no schemas of Fastify');
};
const noCompilers = { buildValidator: noCompiler, buildSerializer: noCompiler };

/** Builds the HTTP application from the endpoint list. */
export function buildApp(parts: Parts): FastifyInstance {
  const { log, slow = defaultSlowThresholds } = parts;
  const bounds = parts.services.resourceLimits.of(requestLimits);
  const http = { maxHeaderSize, ...connectionOptions(bounds) };
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    requestTimeout: 0,
    keepAliveTimeout: bounds.idleConnection,
    trustProxy: parts.trustedProxies ?? false,
    routerOptions: { maxParamLength: 4096 },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    schemaController: { compilersFactory: noCompilers },
    // For an address that can't be decoded, no hooks run.
    frameworkErrors: async (_error, request, reply) => {
      await addHeaders(request, reply);
      return sendRefusal(parts, { request, reply }, { status: 400, message: 'Bad Request' });
    },
    rewriteUrl: ({ headers, method, url = '/' }) => rewriteUpload(method, rewriteApiHost(headers.host, url)),
    clientErrorHandler: (error, socket) => answerUnreadable(error, socket, parts.url),
    ...(parts.tls ? { https: { ...parts.tls, ...http } } : { http }),
  }) as unknown as FastifyInstance; // the https variant has the same routes and hooks

  app.decorate('drainState', { draining: false, closing: false });
  addHealth(app, parts, app.drainState);
  const { limiters } = parts.services;
  const metrics = addMetrics(app, { ...parts, limiters: allLimiters(parts.services) });
  const refusals = openLimitRefusals({ ...parts, db: parts.database.db }, metrics.countRefusal);
  app.decorate('limitRefusals', refusals);
  app.addHook('onClose', () => refusals.flush());
  limitConnections(app, { ...parts, bounds, refusals });

  // Fastify doesn't read bodies. They are read after access is decided (security decision 10); see `read-body.ts`.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _body, done) => done(null));
  app.server.on('checkContinue', (request, reply) => app.server.emit('request', request, reply));
  const bodies = bodyReader(bounds, limiters.bodies);
  boundUnreadBodies(app, bounds);

  const find = routerOf(parts.endpoints);
  app.addHook('onRequest', (request, _reply, done) => {
    if (isOfEndpoints(request)) request.match = find(request.method, request.url) ?? null;
    checkAddress(request);
    done();
  });
  const signIn = signInTo(parts);
  const addHeaders = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (request.url.startsWith(apiPrefix)) await addAccessHeaders(request, reply, signIn, parts.clock);
    reply.header('x-service-request-id', request.id);
    if (app.drainState.closing) reply.header('connection', 'close');
    for (const [name, value] of headersOf(reply)) if (!reply.hasHeader(name)) reply.header(name, value);
    emitReplyHeaders(reply, parts.services.vocabulary);
  };
  app.addHook('onSend', addHeaders);
  app.addHook('onResponse', (request, reply, done) => {
    logRequest(log, request, reply, slow);
    done();
  });
  app.setErrorHandler((error, request, reply) => sendError({ ...parts, refusals }, { request, reply }, error));
  app.setNotFoundHandler((request, reply) => sendRefusal(parts, { request, reply }, { status: 404, message: 'Not Found' }));

  addPreflight(app, apiPrefix);
  addDescription(app, parts);
  const routeParts: RouteParts = {
    ...parts,
    origin: (request) => linksFor(parts, request).html,
    change: (request, work) => {
      const { services, clock, database } = parts;
      const scope = openScope({
        db: database.db,
        links: linksFor(parts, request),
        viewer: everybody,
        now: clock(),
        git: services.git,
      });
      return changeIn(scope, work);
    },
    readForm: (request, reply) => bodies.form({ request, reply }),
    admit: async (caller, reply) => void (await admit(limiters.requests, caller, reply)),
    noteRefusal: (request, { limit }) => refusals.note(request, limit),
  };
  for (const add of parts.routes) add(app, routeParts);
  addDownloads(app, { ...parts, signIn });
  addGitHttp(app, { ...parts, signIn, refusals });
  addGitActions(app, { ...parts, signIn, refusals, bodies });
  addIdentityTokens(app, parts);
  const { admit: admitRequest } = routeParts;
  addRunnerProtocol(app, {
    ...parts,
    readBytes: bodies.bytes,
    admit: admitRequest,
    linksFor: (request) => linksFor(parts, request),
  });
  addResultsService(app, {
    ...parts,
    linksFor: (request) => linksFor(parts, request),
    readJson: (exchange, caller) => bodies.json(exchange, {}, caller),
    admit: admitRequest,
    async receive(exchange, caller, most, take) {
      const end = await admit(limiters.transfers, caller, exchange.reply);
      await bodies.parts(exchange, most, take).finally(end);
      await admitRequest(caller, exchange.reply); // what follows writes rows
    },
    async send(exchange, caller, file) {
      const releases = parts.services.resourceLimits.of(transferLimits);
      await sendFile(
        exchange,
        file,
        async () => void (await admitDownload(limiters.transfers, caller, exchange.reply, releases)),
      );
    },
  });
  addEndpoints(app, { ...parts, signIn, bodies });
  addConsole(app, { ...parts, refusals, routeParts });
  return app;
}

/**
 * Adds the credential's headers to a reply that no endpoint makes, for example for an unknown path (document 1, Authentication
 * 5). Such replies need no credential, so they don't change if the credential is wrong or the database is unavailable.
 */
async function addAccessHeaders(request: FastifyRequest, reply: FastifyReply, signIn: SignIn, clock: () => Date): Promise<void> {
  if (request.signedIn || request.headers.authorization === undefined) return;
  const signedIn = await signIn(request, clock()).catch(() => undefined);
  if (signedIn) reply.headers(accessHeaders({ permission: { none: 'public' } }, signedIn.viewer));
}

/**
 * The address of the API that Gitea's runners give to jobs (`GITHUB_API_URL`). Only job tokens work there, since other clients
 * would take the server for a Gitea.
 */
const runnerApiPrefix = '/api/v1/';

const isForJobs = ({ originalUrl }: FastifyRequest): boolean => originalUrl.startsWith(runnerApiPrefix);

/** Supports the public service's layout, with the API at the root of a host named `api.…`, and the layout of Gitea's runners. */
function rewriteApiHost(host: string | undefined, url: string): string {
  if (url.startsWith(runnerApiPrefix)) return `${apiPrefix}/${url.slice(runnerApiPrefix.length)}`;
  return host?.startsWith('api.') && !url.startsWith(apiPrefix) ? apiPrefix + url : url;
}

/** The address where clients of a self-hosted server upload release assets. They build it themselves from the API's address. */
const uploadAddress = /^\/api\/uploads(?=\/repos\/[^/]+\/[^/]+\/releases\/\d+\/assets(?:\?|$))/;

const rewriteUpload = (method: string | undefined, url: string): string =>
  method === 'POST' || method === 'OPTIONS' ? url.replace(uploadAddress, apiPrefix) : url;

type EndpointParts = Parts & { signIn: SignIn; bodies: BodyReader };

/** The routes for all endpoints. GET includes HEAD. */
const endpointRoutes = [apiPrefix, `${apiPrefix}/*`];
/** Preflight requests have their own route. */
const isOfEndpoints = ({ method, routeOptions }: FastifyRequest): boolean =>
  method !== 'OPTIONS' && endpointRoutes.includes(routeOptions.url ?? '');

function addEndpoints(app: FastifyInstance, parts: EndpointParts): void {
  for (const url of endpointRoutes)
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
      app.route({
        method,
        url,
        handler: (request, reply) => (request.match ? serve(parts, request.match, request, reply) : reply.callNotFound()),
      });
}

async function serve(
  parts: EndpointParts,
  { endpoint, words }: Match,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const now = parts.clock();
  const { db } = parts.database;
  const { requests, transfers } = parts.services.limiters;
  request.signedIn = true;
  const path = readPath(endpoint, words);
  const links = linksFor(parts, request);
  const { viewer, along } = await parts.signIn(request, now, (asking) => firstQuery({ db, endpoint, path, now, links }, asking));
  if (isForJobs(request) && !(await isOfJob(db, viewer))) throw notFound();
  reply.headers(accessHeaders(endpoint.access, viewer));
  const caller = callerOf(viewer, request.ip);
  request.caller = caller;
  const work = measureUnread(reply);
  const release = await admit(requests, caller, reply, { work });
  const reading = async <Body>(read: () => Promise<Body>): Promise<Body> => {
    release(); // a slow body must not hold a slot
    const body = await read();
    await admit(requests, caller, reply, { work });
    return body;
  };
  await handleRequest(
    {
      endpoint,
      viewer,
      caller,
      now,
      db,
      services: { ...parts.services, git: storeFor(parts.services.git, caller) },
      links,
      path,
      along,
      readBody: () => reading(() => parts.bodies.json({ request, reply }, endpoint, caller)),
      readText: () => reading(() => parts.bodies.text({ request, reply }, caller)),
      receive: (most, take) =>
        reading(async () => {
          const end = await admit(transfers, caller, reply);
          await parts.bodies.parts({ request, reply }, most, take).finally(end);
        }),
      async signInAgain() {
        const { accessTime } = parts.services.resourceLimits.of(requestLimits);
        const later = parts.clock();
        return later.getTime() - now.getTime() > accessTime ? (await parts.signIn(request, later)).viewer : undefined;
      },
      async beginTransfer() {
        release();
        await admitDownload(transfers, caller, reply, parts.services.resourceLimits.of(transferLimits));
      },
    },
    request,
    reply,
  );
}
