import type { OutboundReply } from '#net/outbound.ts';

/** Seconds of a wait for which the server names no time: the public API wants at least a minute. */
const unnamedWait = 60;

/**
 * The seconds after which a server answers again; undefined for a reply that isn't about its rate limit. It tells so by status
 * 429 or 403, with `Retry-After`, or with nothing remaining until `X-RateLimit-Reset`.
 */
export function rateLimitWait({ status, headers, body }: OutboundReply, now: Date): number | undefined {
  if (status !== 429 && status !== 403) return undefined;
  const after = retryAfter(headers['retry-after'], now);
  if (after !== undefined) return after;
  const reset = Number(headers['x-ratelimit-reset'] ?? Number.NaN);
  // The clocks of both servers may differ by a second.
  if (headers['x-ratelimit-remaining'] === '0' && Number.isFinite(reset)) return Math.max(1, reset - now.getTime() / 1000 + 1);
  return status === 429 || /rate limit/i.test(body.toString('utf8')) ? unnamedWait : undefined;
}

/** The seconds that a header `Retry-After` names, as a number or as a date. */
export function retryAfter(text: string | undefined, now: Date): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Math.max(1, Number(text));
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(1, (date - now.getTime()) / 1000);
}
