import type { Received } from '#net/outbound.ts';
import { OutboundError } from '#net/target.ts';

/** The outcome of a delivery. */
export type Outcome = {
  statusCode: number;
  status: string;
  headers: Record<string, string> | null;
  body: string | null;
};

/** The outcome of a delivery that got a reply, of whatever status. Redirects aren't followed. */
export const outcomeOfReply = ({ status, headers, body }: Received): Outcome => ({
  statusCode: status,
  status: status < 400 ? 'OK' : `Invalid HTTP Response: ${status}`,
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [withoutNul(name), withoutNul(value)])),
  body: textOf(body),
});

const textOf = (body: Buffer): string => withoutNul(body.toString('utf8'));

/** PostgreSQL's text can't hold U+0000. */
const withoutNul = (text: string): string => text.replaceAll('\0', '\u{fffd}');

/** The outcome of a delivery without a reply. As in the public API, it gets a gateway's status (502 or 504). */
export function outcomeOfError(error: unknown): Outcome {
  const kind = error instanceof OutboundError ? error.kind : undefined;
  const nothing = { headers: null, body: null };
  if (kind === 'timeout') return { statusCode: 504, status: 'timed out', ...nothing };
  if (kind === 'refused_address') return { statusCode: 502, status: 'address not allowed', ...nothing };
  if (kind === 'unresolved') return { statusCode: 502, status: 'failed to resolve host', ...nothing };
  return { statusCode: 502, status: 'failed to connect to host', ...nothing };
}

export const tooLarge: Outcome = { statusCode: 413, status: 'payload too large, not sent', headers: null, body: null };

export const overrun: Outcome = {
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

/** Whether another attempt may succeed. Most 4xx would come again. */
export const isWorthRetrying = ({ statusCode }: Outcome): boolean =>
  statusCode >= 500 || statusCode === 408 || statusCode === 429;

export const hasFailed = ({ statusCode }: Outcome): boolean => statusCode >= 400;
