// Requests to servers with OpenAI's API, which the operator has configured.
import type { Outbound } from './outbound.ts';

type ModelServer = {
  readonly outbound: Outbound;
  /** The full URL of an endpoint, such as `/v1/embeddings`. */
  readonly url: string;
  /** Sent as a bearer token. */
  readonly key?: string | undefined;
  /** The subject of sentences about failures, for example `The embedding server`. */
  readonly name: string;
};

type ModelRequest = {
  readonly body: object;
  /** Milliseconds for the whole exchange. */
  readonly timeout: number;
  /** The maximum number of bytes of the reply. */
  readonly maxBytes: number;
  /** Ends the exchange at any time. */
  readonly stopped?: AbortSignal | undefined;
};

/** Why there is no reply, and whether the request can be retried. */
export type ModelFailure = { readonly failure: string; readonly canRetry: boolean };

/** A reply's JSON, which is undefined if the reply isn't JSON. The server is trusted no more than any other: check its shape. */
type ModelReply = { readonly reply: unknown };

/** Sends a request, once. @throws the reason of `stopped` */
export async function askModelServer(
  { outbound, url, key, name }: ModelServer,
  { body, timeout, maxBytes, stopped }: ModelRequest,
): Promise<ModelReply | ModelFailure> {
  const headers = { 'content-type': 'application/json', ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) };
  const request = { url: new URL(url), headers, body: Buffer.from(JSON.stringify(body)), timeout, maxBytes: maxBytes + 1 };
  try {
    const { status, body: bytes } = await outbound.post({ ...request, ...(stopped ? { stopped } : {}) });
    if (status !== 200) return { failure: `${name} answered ${status}`, canRetry: status === 429 || status >= 500 };
    if (bytes.length > maxBytes) return { failure: `${name} answered with more than ${maxBytes} bytes`, canRetry: false };
    return { reply: parseJson(bytes) };
  } catch (error) {
    stopped?.throwIfAborted();
    const message = error instanceof Error ? error.message : String(error);
    return { failure: `${name} can't be reached: ${message}`, canRetry: true };
  }
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
