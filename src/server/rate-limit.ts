import type { FastifyReply, FastifyRequest } from 'fastify';
import { allowance, type Bucket, consumeRequest, limitHeaders, type RateLimit, refundRequest } from '#access/rate-limits.ts';
import type { Viewer } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import type { Endpoint } from '#endpoint/endpoint.ts';
import type { Services } from '#endpoint/services.ts';
import type { Caller } from '#lib/caller.ts';
import { Refusal } from '#lib/refusal.ts';

type RateLimitContext = { endpoint: Endpoint; viewer: Viewer; caller: Caller; db: Db; services: Services };

/** The key and bucket that a request was counted against, and the bucket's state. */
export type ConsumedRequest = { key: string; bucket: Bucket; state: RateLimit };

/** Counts a request against its rate limit; undefined if requests aren't counted. @throws Refusal beyond the limit */
export async function consumeRateLimit(
  context: RateLimitContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<ConsumedRequest | undefined> {
  const { endpoint, viewer, caller, services } = context;
  if (!services.limits.enabled || endpoint.id === 'rate-limit/get') return undefined;
  const query = request.query as Record<string, unknown>; // the query parser's own object
  const bucket = limitOf(endpoint, query) ?? 'core';
  const state = await consumeBucket(context, bucket);
  reply.headers(limitHeaders(state));
  if (state.exceeded) {
    const message = `API rate limit exceeded for ${viewer.account?.login ?? request.ip}.`;
    throw refusalBeyond(bucket, state, message);
  }
  return { key: caller.key, bucket, state };
}

/**
 * Counts a page, or what a page reads of an endpoint with a limit of its own; nothing if requests aren't counted.
 * @throws Refusal beyond the limit
 */
export async function consumePageLimit(context: Omit<RateLimitContext, 'endpoint'>, bucket: Bucket): Promise<void> {
  if (!context.services.limits.enabled) return;
  const state = await consumeBucket(context, bucket);
  if (!state.exceeded) return;
  const what = bucket === 'pages' ? 'pages' : 'searches';
  throw refusalBeyond(bucket, state, `You have asked for more ${what} than this server allows in a short time.`);
}

/** The rate limit of an endpoint for this query, if it isn't `core`. */
export const limitOf = ({ limit }: Endpoint, query: Readonly<Record<string, unknown>>): Bucket | undefined =>
  typeof limit === 'function' ? limit(query) : limit;

const consumeBucket = ({ viewer, caller: { key }, db, services }: Omit<RateLimitContext, 'endpoint'>, bucket: Bucket) =>
  consumeRequest(db, key, bucket, allowance(services.limits, bucket, viewer));

const refusalBeyond = (bucket: Bucket, { reset }: RateLimit, message: string): Refusal => {
  const retryAfter = Math.max(1, reset - Math.floor(Date.now() / 1000));
  return new Refusal('rate_limited', message, [], { limit: `rateLimits.${bucket}`, retryAfter });
};

/** Undoes the count of a request: a 304 to a signed-in client doesn't count. */
export async function refundRateLimit(
  { db, viewer }: Pick<RateLimitContext, 'db' | 'viewer'>,
  reply: FastifyReply,
  counted: ConsumedRequest | undefined,
): Promise<void> {
  if (!counted || !viewer.account) return;
  const { key, bucket, state } = counted;
  await refundRequest(db, key, bucket);
  reply.headers(limitHeaders({ ...state, used: state.used - 1, remaining: state.remaining + 1 }));
}
