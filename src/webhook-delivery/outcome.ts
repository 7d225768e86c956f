import type { OutboundReply } from '#net/outbound.ts';
import { OutboundError } from '#net/target.ts';

/** The outcome of a delivery. */
export type Outcome = {
  statusCode: number;
  status: string;
  headers: Record<string, string> | null;
  body: string | null;
};

/** The outcome of a delivery with a reply of any status. Redirects aren't followed. */
export const outcomeOfReply = ({ status, headers, body }: OutboundReply): Outcome => ({
  statusCode: status,
  status: status < 400 ? 'OK' : `Invalid HTTP Response: ${status}`,
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [withoutNul(name), withoutNul(value)])),
  body: textOf(body),
});

const textOf = (body: Buffer): string => withoutNul(body.toString('utf8'));

/** PostgreSQL's text can't hold U+0000. */
const withoutNul = (text: string): string => text.replaceAll('\0', '\u{fffd}');

/** The outcome of a delivery without a reply. As in the public API, its status is 502 or 504. */
export function outcomeOfError(error: unknown): Outcome {
  const kind = error instanceof OutboundError ? error.kind : undefined;
  const noReply = { headers: null, body: null };
  if (kind === 'timeout') return { statusCode: 504, status: 'timed out', ...noReply };
  if (kind === 'refused_address') return { statusCode: 502, status: 'address not allowed', ...noReply };
  if (kind === 'unresolved') return { statusCode: 502, status: 'failed to resolve host', ...noReply };
  return { statusCode: 502, status: 'failed to connect to host', ...noReply };
}

export const tooLarge: Outcome = { statusCode: 413, status: 'payload too large, not sent', headers: null, body: null };

export const tooManyWaiting: Outcome = {
  statusCode: 503,
  status: 'too many deliveries wait for failing webhooks, not sent',
  headers: null,
  body: null,
};

export const unreadable: Outcome = {
  statusCode: 500,
  status: "the hook's secret could not be read, not sent",
  headers: null,
  body: null,
};

/** Whether another attempt may succeed. Most 4xx statuses are permanent. */
export const isRetryable = ({ statusCode }: Outcome): boolean => statusCode >= 500 || statusCode === 408 || statusCode === 429;

export const hasFailed = ({ statusCode }: Outcome): boolean => statusCode >= 400;
