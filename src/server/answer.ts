import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { allowance, type Bucket, countRequest, limitHeaders, limitKey, uncountRequest } from '#access/rate-limits.ts';
import type { Viewer } from '#access/viewer.ts';
import type { Db, Tx } from '#database/connect.ts';
import { isRaw, type Raw, reply as replyWith } from '#endpoint/call.ts';
import { type ApiVersion, apiVersions, type Endpoint } from '#endpoint/endpoint.ts';
import type { Links } from '#endpoint/links.ts';
import { cursorHeader, linkHeader, pageOf } from '#endpoint/paging.ts';
import type { Services } from '#endpoint/services.ts';
import { parseBody, parseQuery } from '#endpoint/validate.ts';
import type { Listed, Page } from '#lib/page.ts';
import { badRequest, Refusal } from '#lib/refusal.ts';
import { acceptMediaType, neutralHeader } from '#vocabulary/accept.ts';
import { emitBody } from '#vocabulary/body.ts';
import { etagOf, isNotModified, lastModifiedOf } from './conditional.ts';
import { accessHeaders } from './headers.ts';
import { resolve } from './resolve.ts';

export type Asked = {
  endpoint: Endpoint;
  viewer: Viewer;
  now: Date;
  db: Db;
  change: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
  services: Services;
  links: Links;
  params: Readonly<Record<string, string>>;
};

/** Answers one request: counts it, judges access, validates it, calls the handler, and sends the reply or a 304. */
export async function answer(asked: Asked, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { endpoint, viewer, db } = asked;
  reply.headers(accessHeaders(endpoint, viewer));
  const version = versionOf(request);
  reply.header('x-service-api-version-selected', version);
  const limited = await count(asked, request, reply);
  const media = acceptMediaType(request.headers.accept);
  if (!media.acceptable) throw new Refusal('unsupported_media', `Unsupported 'Accept' header: must accept 'application/json'`);
  reply.header('x-service-media-type', `service.v3; ${media.media === 'json' ? '' : `param=${media.media}; `}format=json`);

  const at = await resolve({ db, endpoint, viewer, params: asked.params });
  const query = request.query as Record<string, unknown>; // the query parser's own object
  const page: Page = endpoint.paging ? pageOf(endpoint.paging, query) : { limit: 0, offset: 0, number: 1 };
  const resource = resourceOf(endpoint);
  const call = {
    db,
    change: asked.change,
    at,
    query: endpoint.query ? parseQuery(endpoint.query, query, resource) : {},
    body: endpoint.body ? parseBody(endpoint.body, textOf(request), resource) : {},
    page,
    viewer,
    now: asked.now,
    links: asked.links,
    media: endpoint.media?.includes(media.media) ? media.media : 'json',
    version,
    services: asked.services,
    address: request.ip,
    reply: replyWith,
  };
  // The declaration checked the handler against exactly these parts; the list of endpoints has forgotten the types.
  const handle = endpoint.handle as unknown as (call: unknown) => Promise<unknown>;
  const handled = await handle.call(endpoint, call);
  await send(asked, handled, { request, reply, page, version, limited });
}

type Sending = { request: FastifyRequest; reply: FastifyReply; page: Page; version: ApiVersion; limited: Limited | undefined };

async function send(asked: Asked, handled: unknown, { request, reply, page, version, limited }: Sending): Promise<void> {
  const { endpoint } = asked;
  if (isRaw(handled)) return sendRaw(asked, handled, { request, reply, limited });
  const { status, body } = statusAndBody(endpoint, handled, page, ({ total, next }) => {
    const url = new URL(request.originalUrl, originOf(request));
    const link = endpoint.paging?.style === 'cursors' ? cursorHeader(url, next) : linkHeader(url, page, total);
    if (link) reply.header('link', link);
  });
  const changed = changedSince(endpoint, version, body);
  reply.header('vary', 'Accept, Authorization, Cookie, X-Service-OTP, Accept-Encoding');
  if (changed === undefined) {
    await reply.code(status).send();
    return;
  }
  const text = JSON.stringify(emitBody(asked.services.vocabulary, changed, endpoint.replies[status] ?? {}, endpoint.id));
  if (status === 200 && request.method !== 'POST') {
    const validators = { etag: etagOf(text), lastModified: endpoint.method === 'GET' ? lastModifiedOf(changed) : undefined };
    reply
      .header('etag', validators.etag)
      .header('cache-control', `${asked.viewer.grant.kind === 'none' ? 'public' : 'private'}, max-age=60, s-maxage=60`);
    if (validators.lastModified) reply.header('last-modified', validators.lastModified.toUTCString());
    if (endpoint.method === 'GET' && isNotModified(request.headers, validators)) {
      await giveBack(asked, limited);
      await reply.code(304).send();
      return;
    }
  }
  if (status === 201 && typeof body === 'object' && body !== null && 'url' in body && typeof body.url === 'string')
    reply.header('location', body.url);
  await reply.code(status).type('application/json; charset=utf-8').send(text);
}

/** Sends a reply that isn't JSON. It may have an `etag`. For a HEAD, the stream is closed unread. */
async function sendRaw(
  asked: Asked,
  { status, headers, body }: Raw,
  { request, reply, limited }: Pick<Sending, 'request' | 'reply' | 'limited'>,
): Promise<void> {
  const { etag } = headers;
  reply.headers(headers);
  const known = etag !== undefined && isNotModified(request.headers, { etag, lastModified: undefined });
  if ((known || request.method === 'HEAD') && body instanceof Readable) body.destroy();
  if (known) await giveBack(asked, limited);
  if (known) await reply.code(304).send();
  else await reply.code(status).send(request.method === 'HEAD' && body instanceof Readable ? Readable.from([]) : body);
}

/** Takes the count of a request back whose client already has the answer. */
async function giveBack({ db, viewer }: Asked, limited: Limited | undefined): Promise<void> {
  if (limited && viewer.account) await uncountRequest(db, limited.key, limited.bucket);
}

function statusAndBody(
  endpoint: Endpoint,
  handled: unknown,
  page: Page,
  linked: (list: { total: number; next?: string | undefined }) => void,
): { status: number; body: unknown } {
  const statuses = Object.keys(endpoint.replies).map(Number);
  const several = statuses.length > 1 ? (handled as { status: number; body: unknown }) : undefined; // what reply() made
  const { status, body: whole } = several ?? { status: statuses[0] ?? 200, body: handled };
  if (!endpoint.paging || page.limit === 0 || whole === undefined) return { status, body: whole };
  if (endpoint.paging.style === 'inside') {
    const { body, total } = whole as { body: unknown; total: number }; // what a handler of such pages returns
    linked({ total: Math.min(total, endpoint.paging.most ?? total), next: undefined });
    return { status, body };
  }
  const { rows, total, next, extra } = whole as Listed<unknown> & { extra?: object }; // what a paged handler returns
  linked({ total: Math.min(total, endpoint.paging.most ?? total), next });
  const envelope = envelopeOf(endpoint, status);
  // The list comes before other fields: clients that page by themselves take the first unknown field for it.
  return { status, body: envelope ? { total_count: total, [envelope]: rows, ...extra } : rows };
}

/** The name of the array in a list's envelope, read from the reply's schema. */
function envelopeOf(endpoint: Endpoint, status: number): string | undefined {
  const schema = endpoint.replies[status] as { properties?: Record<string, { type?: string }> } | undefined;
  return Object.entries(schema?.properties ?? {}).find(([, property]) => property.type === 'array')?.[0];
}

/** Applies the changes of the requested version and of those before it, oldest first. */
function changedSince(endpoint: Endpoint, version: ApiVersion, body: unknown): unknown {
  if (!endpoint.since) return body;
  const active = apiVersions.slice(0, apiVersions.indexOf(version) + 1);
  return active.reduce((changed, name) => endpoint.since?.[name]?.(changed) ?? changed, body);
}

const originOf = (request: FastifyRequest): string => `${request.protocol}://${request.host}`;

const textOf = (request: FastifyRequest): string => {
  const type = request.headers['content-type'] ?? '';
  if (type.startsWith('multipart/')) throw new Refusal('unsupported_media', 'The body must be JSON');
  return typeof request.body === 'string' ? request.body : '';
};

/** The `resource` of an endpoint's errors: the title of its body's schema, or else made from its id. */
const resourceOf = (endpoint: Endpoint): string =>
  (endpoint.body as { title?: string } | undefined)?.title ?? endpoint.id.replace(/^.*\//, '');

function versionOf(request: FastifyRequest): ApiVersion {
  const asked = neutralHeader(request.headers, 'x-service-api-version');
  if (asked === undefined) return apiVersions[0];
  const known = apiVersions.find((version) => version === asked);
  if (!known)
    throw badRequest(`'${asked.slice(0, 40)}' is not a supported version; the supported versions are ${apiVersions.join(', ')}`);
  return known;
}

type Limited = { key: string; bucket: Bucket };

async function count(
  { endpoint, viewer, db, services }: Asked,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Limited | undefined> {
  if (!services.limits.enabled || endpoint.id === 'rate-limit/get') return undefined;
  const { limit } = endpoint;
  const query = request.query as Record<string, unknown>; // the query parser's own object
  const bucket: Bucket = (typeof limit === 'function' ? limit(query) : limit) ?? 'core';
  const key = limitKey(viewer, request.ip);
  const state = await countRequest(db, key, bucket, allowance(services.limits, bucket, viewer));
  reply.headers(limitHeaders(state));
  if (state.exceeded) {
    reply.header('retry-after', String(Math.max(1, state.reset - Math.floor(Date.now() / 1000))));
    throw new Refusal('rate_limited', `API rate limit exceeded for ${viewer.account?.login ?? request.ip}.`);
  }
  return { key, bucket };
}
