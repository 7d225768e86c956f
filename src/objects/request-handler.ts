import type { Outbound } from '#net/outbound.ts';
import { OutboundError } from '#net/target.ts';

/** Time limits of an exchange. */
export type Times = {
  /** Milliseconds without a sent byte, until the server responds, and without a received byte. Omitted: 20 s. */
  readonly timeout?: number | undefined;
  /** Bytes per second. A larger body extends the time limit at this rate. Omitted: 128 KiB, or 64 s for a part. */
  readonly slowestRate?: number | undefined;
};

/** A request from the S3 client. */
type SignedRequest = {
  protocol: string;
  hostname: string;
  port?: number;
  path: string;
  query?: Readonly<Record<string, string | string[] | null>>;
  method: string;
  headers: Record<string, string>;
  body?: unknown;
};

/** Sends the S3 client's requests through the only way out of this server (security decision 6). */
export const requestHandler = (outbound: Outbound, { timeout = 20_000, slowestRate = 128 * 1024 }: Times) => ({
  async handle({ protocol, hostname, port, path, query, method, headers, body }: SignedRequest) {
    const url = new URL(`${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}${queryText(query)}`);
    const sent = outbound.stream({ url, method, headers, timeout, slowestRate, ...bodyOf(body) });
    const { status, ...reply } = await sent.catch((error) => Promise.reject(retryable(error)));
    return { response: { statusCode: status, ...reply } };
  },
  updateHttpClientConfig: () => undefined,
  httpHandlerConfigs: () => ({}),
});

/**
 * The S3 client retries the connection failures that it sees. An unresponsive server isn't retried, since somebody may be waiting
 * for the reply. Background jobs are retried as a whole.
 */
const retryable = (error: unknown): unknown =>
  error instanceof OutboundError && error.kind !== 'refused_address' && error.kind !== 'timeout'
    ? Object.assign(error, { $retryable: { throttling: false } })
    : error;

/** The query as the signature requires: ordered by name, with all but unreserved characters escaped (RFC 3986). */
function queryText(query: SignedRequest['query'] = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => [value].flat().map((one) => [name, one ?? ''] as const));
  const text = pairs.map(([name, value]) => `${escaped(name)}=${escaped(value)}`).join('&');
  return text === '' ? '' : `?${text}`;
}

const escaped = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

/** Only complete bodies are sent, since a retry may send them again. */
function bodyOf(body: unknown): { body?: Buffer } {
  if (body === undefined || body === null) return {};
  if (typeof body === 'string') return { body: Buffer.from(body) };
  if (body instanceof Uint8Array) return { body: Buffer.from(body.buffer, body.byteOffset, body.byteLength) };
  throw new Error('a body for the store of objects must be whole');
}
