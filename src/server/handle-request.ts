import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticated } from '#access/authenticate.ts';
import type { Viewer } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import { isRaw, type Raw, type Upload } from '#endpoint/call.ts';
import type { Endpoint } from '#endpoint/endpoint.ts';
import type { Links } from '#endpoint/links.ts';
import { linkHeader } from '#endpoint/paging.ts';
import { openScope } from '#endpoint/scope.ts';
import type { Services } from '#endpoint/services.ts';
import { type ApiVersion, apiVersions } from '#endpoint/versions.ts';
import type { Caller } from '#lib/caller.ts';
import { withSlot } from '#lib/concurrency-limiter.ts';
import type { Json } from '#lib/json-reader.ts';
import { requestLimits } from '#lib/limits/requests.ts';
import { type Media, rawFileType } from '#lib/media.ts';
import type { Page } from '#lib/page.ts';
import { badRequest, Refusal } from '#lib/refusal.ts';
import { stringifyInTurns } from '#lib/stringify-in-turns.ts';
import { acceptMediaType, neutralHeader } from '#vocabulary/accept.ts';
import { emitBody } from '#vocabulary/body.ts';
import { etagOf, isNotModified, isUnchangedPoll, lastModifiedOf } from './conditional.ts';
import { pollInterval } from './poll-interval.ts';
import { type ConsumedRequest, consumeRateLimit, refundRateLimit } from './rate-limit.ts';
import { changedSince, replyBody } from './reply-body.ts';
import type { FirstFound, RequestPath } from './resolve.ts';
import { callHandler, type PreparedCall, prepareCall } from './run.ts';
import { sendFile } from './send-file.ts';

type RequestContext = {
  endpoint: Endpoint;
  viewer: Viewer;
  caller: Caller;
  now: Date;
  db: Db;
  services: Services;
  links: Links;
  path: RequestPath;
  /** The rows that the first statement found for the path. */
  along: Authenticated<FirstFound>['along'];
  /** Reads the request's body; undefined if it has none. */
  readBody(): Promise<Json | undefined>;
  /** Reads the body of an endpoint that takes a text. */
  readText(): Promise<string>;
  /** Receives the body of an endpoint that takes bytes. */
  receive: Upload['receive'];
  /** Signs the request in again if the first time is longer ago than `requests.accessTime`; undefined otherwise. */
  signInAgain(): Promise<Viewer | undefined>;
  /** Called before a file is sent: releases the slot of the request, and acquires a file transfer slot. */
  beginTransfer(): Promise<void>;
};

/**
 * Handles one request: counts it against its rate limit, decides about access, reads and validates it, calls the handler, and
 * sends the reply or a 304.
 */
export async function handleRequest(context: RequestContext, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { endpoint, viewer } = context;
  const version = versionOf(request);
  reply.header('x-service-api-version-selected', version);
  const counted = await consumeRateLimit(context, request, reply);
  const media = acceptMediaType(request.headers.accept);
  if (!media.acceptable) throw new Refusal('unsupported_media', `Unsupported 'Accept' header: must accept 'application/json'`);
  reply.header(
    'x-service-media-type',
    `service.v3; ${media.media === 'json' || media.media === 'bytes' ? '' : `param=${media.media}; `}format=json`,
  );

  checkQuery(request.originalUrl, context.services.resourceLimits.of(requestLimits).queryParameters);
  const prepare = prepareFor(context, request, { version, media: media.media });
  const first = await prepare(viewer, context.along);
  const prepared = (await prepare.again()) ?? first;
  if (await answerPoll(context, prepared.call, { request, reply, counted })) return;
  const handled = await inTurn(context, () => callHandler(endpoint, prepared));
  await sendReply(context, handled, { request, reply, page: prepared.page, version, counted });
}

/** The result of the first call, for all calls. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

type Prepare = {
  (viewer: Viewer, along?: RequestContext['along']): Promise<PreparedCall>;
  /** Prepares the call anew if the first decision about access is old, since a body may arrive for minutes. */
  again(): Promise<PreparedCall | undefined>;
};

/** Prepares the call of a request: decides about access, and reads and validates the request. A body is read once. */
function prepareFor(
  context: RequestContext,
  request: FastifyRequest,
  { version, media }: { version: ApiVersion; media: Media },
): Prepare {
  const { endpoint, db, services, path, links } = context;
  const [readBody, readText] = [once(context.readBody), once(context.readText)];
  const prepare = (viewer: Viewer, along?: RequestContext['along']): Promise<PreparedCall> => {
    const scope = openScope({ db, links, viewer, media, now: context.now, git: services.git });
    const within = { scope, services, caller: context.caller, address: request.ip };
    return prepareCall(endpoint, within, {
      path,
      along,
      query: request.query as Record<string, unknown>, // the query parser's own object
      version,
      readBody,
      readText,
      upload: { contentType: request.headers['content-type'], receive },
      onRepository: ({ owner, name }) => {
        request.repository = `${owner.login}/${name}`;
      },
    });
  };
  const again = async (): Promise<PreparedCall | undefined> => {
    const viewer = await context.signInAgain();
    return viewer && prepare(viewer);
  };
  const receive: Upload['receive'] = async (most, take) => {
    await context.receive(most, take);
    await again();
  };
  return Object.assign(prepare, { again });
}

const variesBy = 'Accept, Authorization, Cookie, X-Service-OTP, Accept-Encoding';
const cacheControlOf = ({ grant }: Viewer): string => `${grant.kind === 'none' ? 'public' : 'private'}, max-age=60, s-maxage=60`;

type ReplyContext = {
  request: FastifyRequest;
  reply: FastifyReply;
  page: Page;
  version: ApiVersion;
  counted: ConsumedRequest | undefined;
};

/**
 * Sets the headers of an endpoint that clients poll, and answers 304 if nothing has changed since the client's last poll. The
 * time is read before the handler runs, so a change in between is later. Returns whether it answered.
 */
async function answerPoll(
  context: RequestContext,
  call: unknown,
  { request, reply, counted }: Pick<ReplyContext, 'request' | 'reply' | 'counted'>,
): Promise<boolean> {
  const { endpoint, viewer, services } = context;
  if (!endpoint.lastModified) return false;
  const lastModified = await endpoint.lastModified(call as never); // as with the handler
  reply.headers({ 'last-modified': lastModified.toUTCString(), 'x-poll-interval': pollInterval(services) });
  if (!isUnchangedPoll(request.headers, lastModified)) return false;
  reply.headers({ vary: variesBy, 'cache-control': cacheControlOf(viewer) });
  await refundRateLimit(context, reply, counted);
  await reply.code(304).send();
  return true;
}

/** Large replies are generated a few at a time. No slot is held while one is sent, since its reader may be slow. */
const inTurn = <T>({ endpoint, services, caller }: RequestContext, make: () => Promise<T>): Promise<T> =>
  endpoint.isLarge ? withSlot(services.limiters.large, caller, make) : make();

/** A longer text is encoded once, for its ETag and for sending. A shorter one is sent in the same write as the headers. */
const longText = 16 * 1024;

async function sendReply(
  context: RequestContext,
  handled: unknown,
  { request, reply, page, version, counted }: ReplyContext,
): Promise<void> {
  const { endpoint } = context;
  if (isRaw(handled)) return sendRaw(context, handled, { request, reply, counted });
  const { status, body, list } = replyBody(endpoint, handled, page);
  if (list && endpoint.paging) {
    const link = linkHeader(addressOf(context.links, request), endpoint.paging, page, list);
    if (link) reply.header('link', link);
  }
  const changed = changedSince(endpoint, version, body);
  reply.header('vary', variesBy);
  if (changed === undefined) {
    await reply.code(status).send();
    return;
  }
  const emitted = emitBody(context.services.vocabulary, changed, endpoint.replies[status] ?? {}, endpoint.id);
  const json = endpoint.isLarge ? await inTurn(context, () => stringifyInTurns(emitted)) : JSON.stringify(emitted);
  const text = json.length > longText ? Buffer.from(json) : json;
  if (status === 200 && request.method !== 'POST') {
    // Endpoints that declare `lastModified` already have the header.
    const hasLastModified = endpoint.lastModified !== undefined || endpoint.method !== 'GET';
    const validators = { etag: etagOf(text), lastModified: hasLastModified ? undefined : lastModifiedOf(changed) };
    reply.header('etag', validators.etag).header('cache-control', cacheControlOf(context.viewer));
    if (validators.lastModified) reply.header('last-modified', validators.lastModified.toUTCString());
    if (endpoint.method === 'GET' && isNotModified(request.headers, validators)) {
      await refundRateLimit(context, reply, counted);
      await reply.code(304).send();
      return;
    }
  }
  if (status === 201 && typeof body === 'object' && body !== null && 'url' in body && typeof body.url === 'string')
    reply.header('location', body.url);
  await reply.code(status).type('application/json; charset=utf-8').send(text);
}

/** Sends a reply that isn't JSON, or a 304 if its `etag` matches. For a HEAD, the stream is closed without being read. */
async function sendRaw(
  context: RequestContext,
  { status, headers, body, file }: Raw,
  { request, reply, counted }: Pick<ReplyContext, 'request' | 'reply' | 'counted'>,
): Promise<void> {
  const { etag } = headers;
  reply.headers(headers);
  if (file) {
    reply.header('vary', variesBy).header('cache-control', cacheControlOf(context.viewer));
    const sent = await sendFile({ request, reply }, file, () => context.beginTransfer());
    if (sent === 304) await refundRateLimit(context, reply, counted);
    return;
  }
  const { version } = acceptMediaType(request.headers.accept);
  if (version && headers['content-type'] === rawFileType) reply.type(rawFileType.replace('.raw', `.${version}.raw`));
  const notModified = etag !== undefined && isNotModified(request.headers, { etag, lastModified: undefined });
  if ((notModified || request.method === 'HEAD') && body instanceof Readable) body.destroy();
  if (notModified) await refundRateLimit(context, reply, counted);
  if (notModified) await reply.code(304).send();
  else await reply.code(status).send(request.method === 'HEAD' && body instanceof Readable ? Readable.from([]) : body);
}

/** The URL of a request. Its request line may contain an absolute URL or a path. */
const addressOf = ({ api }: Links, { originalUrl }: FastifyRequest): URL =>
  new URL(`${new URL(api).origin}/${originalUrl.replace(/^(https?:\/\/[^/?#]*)?\/?/i, '')}`);

function checkQuery(url: string, maxParameters: number): void {
  let parameters = 0;
  for (let at = url.indexOf('?'); at >= 0; at = url.indexOf('&', at + 1)) parameters++;
  if (parameters <= maxParameters) return;
  const limit = 'requests.queryParameters';
  throw new Refusal('bad_request', `The query has more than ${maxParameters} parameters (${limit})`, [], { limit });
}

function versionOf(request: FastifyRequest): ApiVersion {
  const requested = neutralHeader(request.headers, 'x-service-api-version');
  if (requested === undefined) return apiVersions[0];
  const known = apiVersions.find((version) => version === requested);
  if (!known)
    throw badRequest(
      `'${requested.slice(0, 40)}' is not a supported version; the supported versions are ${apiVersions.join(', ')}`,
    );
  return known;
}
