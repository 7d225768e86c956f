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
  { endpoint, viewer, caller: { key }, db, services }: RateLimitContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<ConsumedRequest | undefined> {
  if (!services.limits.enabled || endpoint.id === 'rate-limit/get') return undefined;
  const { limit } = endpoint;
  const query = request.query as Record<string, unknown>; // the query parser's own object
  const bucket: Bucket = (typeof limit === 'function' ? limit(query) : limit) ?? 'core';
  const state = await consumeRequest(db, key, bucket, allowance(services.limits, bucket, viewer));
  reply.headers(limitHeaders(state));
  if (state.exceeded) {
    const retryAfter = Math.max(1, state.reset - Math.floor(Date.now() / 1000));
    const message = `API rate limit exceeded for ${viewer.account?.login ?? request.ip}.`;
    throw new Refusal('rate_limited', message, [], { limit: `rateLimits.${bucket}`, retryAfter });
  }
  return { key, bucket, state };
}

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
