// Serves pages to browsers, and the files that they load.
import { createHash } from 'node:crypto';
import cookie from '@fastify/cookie';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { callerOf } from '#access/rate-limits.ts';
import { anonymous, type Viewer } from '#access/viewer.ts';
import { allPages } from '#console/all.ts';
import { type ByteAddress, byteAddresses } from '#console/byte-addresses.ts';
import { plainFrame } from '#console/frames/plain.ts';
import type { Page, PageContent, PageRequest } from '#console/page.ts';
import { errorContent } from '#console/pages/error.ts';
import type { Database } from '#database/connect.ts';
import { openScope } from '#endpoint/scope.ts';
import type { Services } from '#endpoint/services.ts';
import { storeFor } from '#git/store.ts';
import { assetPrefix, findAsset } from '#html/assets.ts';
import { avatarSvg } from '#html/avatar.ts';
import { htmlDocument } from '#html/document.ts';
import type { TrustedHtml } from '#html/template.ts';
import { notFound } from '#lib/refusal.ts';
import { csrfOf, sessionOf } from '#resources/platform/oauth/index.ts';
import type { RouteParts } from '#resources/route-parts.ts';
import { admit } from '#server/admit.ts';
import type { LimitRefusals } from '#server/limit-refusals.ts';
import { consumePageLimit } from '#server/rate-limit.ts';
import { linksFor } from '#server/request-links.ts';
import { loggedCredential } from '#server/request-log.ts';
import { Moved } from '#server/resolve.ts';
import { refusedBy, sendRefusal } from '#server/send-error.ts';
import { type PageRouter, pageRouterOf } from './pages-router.ts';
import { readPage } from './read-page.ts';
import { sendBytes } from './send-bytes.ts';
import { accepts, newNonce, sendHtml } from './send-page.ts';
import { findTextAddress, sendText } from './send-text.ts';

type Parts = {
  readonly database: Database;
  readonly services: Services;
  readonly log: Logger;
  readonly clock: () => Date;
  readonly url?: string;
  readonly refusals: LimitRefusals;
  readonly routeParts: RouteParts;
};
type Exchange = { readonly request: FastifyRequest; readonly reply: FastifyReply };

/** Adds the pages. They answer whatever no other route has; what is no page is left to the handler of unknown addresses. */
export function addConsole(app: FastifyInstance, parts: Parts): void {
  const find = pageRouterOf([...allPages, ...byteAddresses]);
  app.get(`${assetPrefix}*`, (request, reply) => sendAsset({ request, reply }));
  app.get<{ Params: { id: string } }>('/avatars/u/:id', (request, reply) => sendAvatar(reply, Number(request.params.id)));
  app.register(async (scope) => {
    await scope.register(cookie);
    scope.setErrorHandler((error, request, reply) => answerError(parts, { request, reply }, error));
    for (const url of ['/', '/*']) scope.get(url, (request, reply) => answer(parts, find, { request, reply }));
  });
}

const isPlainPage = (status: number): PageRequest['query'] => ({ status: String(status) });

const isOfBrowser = ({ headers }: FastifyRequest): boolean => (headers.accept ?? '').includes('text/html');
const wantsJson = ({ headers }: FastifyRequest): boolean =>
  (headers.accept ?? '').includes('json') && !(headers.accept ?? '').includes('text/html');

/** Tells programs that want JSON where the API is, whether or not the page exists. */
function sendApiAddress(parts: Parts, { request, reply }: Exchange): FastifyReply {
  const { api } = linksFor(parts, request);
  const message = `This is the address of a page. The API is at ${api}`;
  return sendRefusal(parts, { request, reply }, { status: 404, message });
}

async function answer(parts: Parts, find: PageRouter<Page | ByteAddress>, exchange: Exchange): Promise<FastifyReply> {
  const { request, reply } = exchange;
  const text = findTextAddress(request.url);
  const match = request.url.startsWith('/api/') ? undefined : find(request.url);
  const page = match?.page;
  const isPage = page !== undefined && 'render' in page && text === undefined;
  if (!page && !text && !isOfBrowser(request)) return reply.callNotFound() as unknown as FastifyReply; // it has sent the reply
  if (!page && !text) throw notFound();
  if (isPage && wantsJson(request)) return sendApiAddress(parts, exchange);
  const { viewer, pageRequest } = await requestOf(parts, exchange, match?.words ?? {});
  if (isPage && page.isForPeople && !viewer.account)
    return reply.redirect(`/login?return_to=${encodeURIComponent(request.url)}`, 302);
  const { services, database, clock } = parts;
  const caller = callerOf(viewer, request.ip);
  request.caller = caller;
  await admit(services.limiters.requests, caller, reply);
  const { db } = database;
  await consumePageLimit({ viewer, caller, db, services }, 'pages');
  const git = storeFor(services.git, caller);
  const scope = openScope({ db, links: pageRequest.links, viewer, now: clock(), git });
  const context = { scope, services: { ...services, git }, caller, address: request.ip };
  if (text) return sendText(reply, text, context);
  if (!page) throw notFound();
  if (!('render' in page)) return sendBytes(exchange, page, { pageRequest, context });
  const { found, positions } = await readPage(page, pageRequest, context);
  const content = page.render(found, pageRequest, positions);
  if ('redirect' in content) return reply.redirect(content.redirect, 302);
  return send(exchange, { status: 200, content, body: page.frame.render(content, found as never, pageRequest) });
}

/** The viewer of a request by its session, and what a page knows of the request. */
async function requestOf(
  parts: Parts,
  { request }: Exchange,
  words: Readonly<Record<string, string>>,
): Promise<{ viewer: Viewer; pageRequest: PageRequest }> {
  const session = await sessionOf(parts.routeParts, request);
  const viewer = session?.viewer ?? anonymous;
  request.actor = viewer.account?.login;
  request.credential = loggedCredential(viewer);
  const query = Object.entries(request.query as Record<string, string | string[]>); // the query parser's own object
  return {
    viewer,
    pageRequest: {
      words,
      query: Object.fromEntries(query.map(([name, value]) => [name, Array.isArray(value) ? value[0] : value])),
      address: request.url,
      person: session?.account,
      links: linksFor(parts, request),
      now: parts.clock(),
      csrf: session ? csrfOf(session.token) : '',
    },
  };
}

type Sent = { readonly status: number; readonly content: PageContent; readonly body: TrustedHtml };

function send(exchange: Exchange, { status, content, body }: Sent): Promise<FastifyReply> {
  const nonce = newNonce();
  const isIndexed = status === 200 && exchange.request.actor === undefined;
  const { title, description } = content;
  return sendHtml(exchange, { status, html: htmlDocument({ title, body, description, nonce, isIndexed }), nonce });
}

/** Answers an error by a page. Whoever may not read something gets the page of something that doesn't exist. */
async function answerError(parts: Parts, exchange: Exchange, error: unknown): Promise<FastifyReply> {
  const { request, reply } = exchange;
  if (error instanceof Moved) return reply.redirect(movedAddress(request.url, error), 301);
  const refused = refusedBy(parts, exchange, error);
  reply.removeHeader('www-authenticate');
  const pageRequest = await requestOf(parts, exchange, {})
    .then((known) => known.pageRequest)
    .catch(() => undefined);
  const status = refused.status === 401 ? 404 : refused.status;
  if (!pageRequest) return reply.code(status).type('text/plain; charset=utf-8').send(`${refused.message}\n`);
  const content = errorContent({ ...refused, status, requestId: request.id }, pageRequest);
  const body = plainFrame.render(content, {}, { ...pageRequest, query: isPlainPage(status) });
  return send(exchange, { status, content, body });
}

/** The same address below the repository's present name. */
function movedAddress(address: string, { repo }: Moved): string {
  const rest = /^\/[^/?#]+\/[^/?#]+(.*)$/s.exec(address)?.[1] ?? '';
  return `/${encodeURIComponent(repo.owner.login)}/${encodeURIComponent(repo.name)}${rest}`;
}

/** A file whose address has its digest never changes. */
function sendAsset({ request, reply }: Exchange): FastifyReply {
  const asset = findAsset(decodeURIComponent(request.url.slice(assetPrefix.length).replace(/\?.*$/, '')));
  if (!asset) return reply.callNotFound() as unknown as FastifyReply; // it has sent the reply
  const etag = `"${createHash('sha256').update(asset.bytes).digest('base64url').slice(0, 20)}"`;
  reply
    .type(asset.type)
    .header('cache-control', asset.isFixed ? 'public, max-age=31536000, immutable' : 'public, max-age=3600')
    .header('vary', 'Accept-Encoding')
    .header('etag', etag);
  if (request.headers['if-none-match'] === etag) return reply.code(304).send();
  const given = request.headers['accept-encoding'];
  if (accepts(given, 'br')) return reply.header('content-encoding', 'br').send(asset.brotli);
  if (accepts(given, 'gzip')) return reply.header('content-encoding', 'gzip').send(asset.gzip);
  return reply.send(asset.bytes);
}

/** The picture of an account: a pattern that follows from its id. It tells nothing, not even whether the account exists. */
const sendAvatar = (reply: FastifyReply, id: number): FastifyReply =>
  reply
    .type('image/svg+xml')
    .header('cache-control', 'public, max-age=86400')
    .header('cross-origin-resource-policy', 'cross-origin')
    .send(avatarSvg(Number.isSafeInteger(id) ? id : 0));
