import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import type { Agent as SecureAgent } from 'node:https';
import type { Readable } from 'node:stream';
import { initialValues } from '#lib/limits.ts';
import { http, https } from './http.ts';
import { nameLimits } from './limits.ts';
import { addressCheck } from './ranges.ts';
import { openResolver } from './resolver.ts';
import { checkedAddresses, isBlocked, OutboundError, parseTarget, type Resolver } from './target.ts';

/** A request without a body. */
type OutboundGet = Omit<OutboundRequest, 'body'>;

type OutboundRequest = {
  url: URL;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  /** Skips the check of the certificate. The owner of a webhook can request this. */
  anyCertificate?: boolean;
  /** Milliseconds for the whole exchange, from DNS to the last byte of the reply. */
  timeout: number;
  /** The maximum number of bytes of the reply's body. The rest is dropped. */
  maxBytes: number;
  /** Ends the exchange at any time. The request fails with the signal's reason. */
  stopped?: AbortSignal;
};

export type OutboundReply = { status: number; headers: Record<string, string>; body: Buffer };

/** A request of any method, to a server that the administrator configured. */
type OutboundStreamed = Pick<OutboundRequest, 'url' | 'headers'> & {
  method: string;
  body?: Buffer;
  /** The maximum time of silence in milliseconds: no byte is sent, or no reply arrives. */
  timeout: number;
  /**
   * Bytes per second. A larger body extends the time limit at this rate. Once the system has all of the body, its progress is
   * unknown, and only this limits the wait for the reply.
   */
  slowestRate?: number;
  /** Ends the exchange at any time. The request fails with the signal's reason. */
  stopped?: AbortSignal;
};

/** A reply with a streamed body. It fails if nothing arrives within the request's timeout. */
export type StreamedReply = { status: number; headers: Record<string, string>; body: Readable };

/**
 * The client for all HTTP requests to other servers (security decision 6). It connects only to an address that it has checked,
 * doesn't follow redirects, ignores the environment's proxies, and enforces a timeout.
 */
export type Outbound = {
  get(request: OutboundGet): Promise<OutboundReply>;
  post(request: OutboundRequest): Promise<OutboundReply>;
  /** Sends a request with a streamed reply. The reply's body must be read or destroyed. */
  stream(request: OutboundStreamed): Promise<StreamedReply>;
  /** Why a URL is never allowed, or undefined. The name isn't resolved here, so a later request may still be refused. */
  refuses(url: string): string | undefined;
  close(): void;
};

type OutboundOptions = {
  /** Private address ranges that may be reached. */
  allow: readonly string[];
  resolve?: Resolver;
};

const maxAddresses = 3;
const agentOptions = { keepAlive: true, maxFreeSockets: 64, scheduling: 'lifo', timeout: 30_000 } as const;

export function openOutbound({
  allow,
  resolve = openResolver({ limits: initialValues(nameLimits) }),
}: OutboundOptions): Outbound {
  const isAllowed = addressCheck(allow);
  const agents = { 'http:': new http.Agent(agentOptions), 'https:': new https.Agent(agentOptions) };
  const send = async <Reply>(request: Sent<Reply>): Promise<Reply> => {
    const controller = new AbortController();
    const timer = startTimer(request, () => controller.abort(new OutboundError('timeout', 'timed out')));
    const signal = request.stopped ? AbortSignal.any([controller.signal, request.stopped]) : controller.signal;
    try {
      signal.throwIfAborted();
      const addresses = await orAborted(checkedAddresses(request.url, isAllowed, resolve), signal);
      return await tryInTurn(addresses.slice(0, maxAddresses), (address) =>
        exchange({ ...request, address, signal, agents, timer }),
      );
    } catch (error) {
      request.stopped?.throwIfAborted();
      throw error;
    } finally {
      timer.end();
    }
  };
  const buffered = ({ maxBytes, ...request }: OutboundGet & { body?: Buffer }) =>
    send({ ...request, method: request.body ? 'POST' : 'GET', read: (response) => readReply(response, maxBytes) });
  return {
    get: buffered,
    post: buffered,
    stream: (request) => send({ ...request, read: async (response) => streamedReply(response, request.timeout) }),
    refuses(text) {
      const url = parseTarget(text);
      if (!url) return 'must be an http or https URL without a user and password';
      return isBlocked(url, isAllowed) ? 'is not reachable over the public Internet' : undefined;
    },
    close() {
      agents['http:'].destroy();
      agents['https:'].destroy();
    },
  };
}

/** The timer of an exchange. */
type Timer = {
  /** Bytes were sent. `isAll`: the system has the whole body. */
  progress(isAll: boolean): void;
  end(): void;
};

/**
 * Calls `expire` if nothing was sent within the request's timeout, or if the whole exchange takes too long for the size of its
 * body.
 */
function startTimer({ timeout, body, slowestRate }: Sent<unknown>, expire: () => void): Timer {
  const overall = setTimeout(expire, timeout + (body && slowestRate ? (body.length / slowestRate) * 1_000 : 0));
  const silence = slowestRate ? setTimeout(expire, timeout) : undefined;
  return {
    progress(isAll) {
      if (isAll) clearTimeout(silence);
      else silence?.refresh();
    },
    end() {
      clearTimeout(overall);
      clearTimeout(silence);
    },
  };
}

const orAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  Promise.race([
    work,
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true })),
  ]);

/** Tries the addresses in order. It tries the next one only if the connection failed, so that nothing was sent. */
async function tryInTurn<Reply>(addresses: readonly string[], send: (address: string) => Promise<Reply>): Promise<Reply> {
  let failure: unknown;
  for (const address of addresses) {
    try {
      return await send(address);
    } catch (error) {
      if (!(error instanceof ConnectError)) throw error;
      failure = error;
    }
  }
  throw failure;
}

/** The connection could not be opened. */
class ConnectError extends OutboundError {}

type Sent<Reply> = OutboundStreamed & {
  anyCertificate?: boolean;
  /** Reads the response. */
  read: (response: IncomingMessage) => Promise<Reply>;
};

type Exchange<Reply> = Sent<Reply> & {
  timer: Timer;
  address: string;
  signal: AbortSignal;
  agents: { 'http:': Agent; 'https:': SecureAgent };
};

async function exchange<Reply>(options: Exchange<Reply>): Promise<Reply> {
  const first = startRequest(options);
  try {
    return await first.reply;
  } catch (error) {
    // The receiver closed a kept-alive connection before the request arrived. It is sent once more.
    if (first.request.reusedSocket && !first.answered() && isClosedByPeer(error) && !options.signal.aborted)
      return await startRequest(options).reply.catch((retryError) => Promise.reject(asOutboundError(retryError, options)));
    throw asOutboundError(error, options);
  }
}

const isClosedByPeer = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');

function asOutboundError(error: unknown, { signal }: { signal: AbortSignal }): OutboundError {
  if (signal.aborted && signal.reason instanceof OutboundError) return signal.reason;
  if (error instanceof OutboundError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const syscall = error instanceof Error && 'syscall' in error ? error.syscall : undefined;
  return syscall === 'connect' ? new ConnectError('connection', message) : new OutboundError('connection', message);
}

function startRequest<Reply>(exchanged: Exchange<Reply>): {
  request: ClientRequest;
  reply: Promise<Reply>;
  answered: () => boolean;
} {
  const { url, method, headers, body, anyCertificate, read, address, signal, agents, timer } = exchanged;
  const secure = url.protocol === 'https:';
  const options = {
    method,
    host: address,
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    path: url.pathname + url.search,
    headers: { host: url.host, ...headers, ...(body ? { 'content-length': body.length } : {}) },
    setDefaultHeaders: false,
    signal,
    maxHeaderSize: 64 * 1024,
  };
  const name = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const request = secure
    ? https.request({
        ...options,
        agent: agents['https:'],
        rejectUnauthorized: anyCertificate !== true,
        ...(name === address ? {} : { servername: name }),
      })
    : http.request({ ...options, agent: agents['http:'] });
  let answered = false;
  const reply = new Promise<Reply>((resolve, reject) => {
    request.on('error', reject);
    request.on('response', (response) => {
      answered = true;
      read(response).then(resolve, reject);
    });
  });
  sendBody(request, body, timer);
  return { request, reply, answered: () => answered };
}

/** The maximum number of bytes in one write, so that a slow receiver's progress is visible. */
const chunkBytes = 64 * 1024;

function sendBody(request: ClientRequest, body: Buffer | undefined, timer: Timer): void {
  if (!body || body.length <= chunkBytes) {
    request.end(body);
    return;
  }
  let sent = 0;
  const sendNext = (error?: Error | null): void => {
    if (error) return; // the request reports the error
    timer.progress(sent === body.length);
    const part = body.subarray(sent, sent + chunkBytes);
    sent += part.length;
    if (part.length === 0) request.end();
    else request.write(part, sendNext);
  };
  sendNext();
}

/** Reads a reply and up to `maxBytes` of its body. If the body is longer, the connection is closed. */
async function readReply(response: IncomingMessage, maxBytes: number): Promise<OutboundReply> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk.subarray(0, maxBytes - length));
    length += chunk.length;
    if (length >= maxBytes) break; // leaving the loop destroys the stream
  }
  return { ...headOf(response), body: Buffer.concat(chunks) };
}

function streamedReply(response: IncomingMessage, idle: number): StreamedReply {
  response.setTimeout(idle, () => {
    // If the buffer isn't empty, the reader is slow, and not the sender.
    if (response.readableLength > 0) response.setTimeout(idle);
    else response.destroy(new OutboundError('timeout', 'timed out'));
  });
  return { ...headOf(response), body: response };
}

const headOf = ({ statusCode, headers }: IncomingMessage) => ({
  status: statusCode ?? 0,
  headers: Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  ),
});
