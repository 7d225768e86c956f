import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { resourceLimits } from '#lib/limits.ts';
import { addressCheck } from './ranges.ts';
import { openResolver } from './resolver.ts';
import { checkedAddresses, isClosed, OutboundError, parseTarget, type Resolver } from './target.ts';

export type Sending = {
  url: URL;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  /** Accepts any certificate, as the owner of a hook can choose for that hook. */
  anyCertificate?: boolean;
  /** Milliseconds for everything, from looking up the name to the last byte of the reply. */
  within: number;
  /** Bytes of the reply's body that are kept; the rest isn't read. */
  keep: number;
};

export type Received = { status: number; headers: Record<string, string>; body: Buffer };

/**
 * The only way to send HTTP requests to others (security decision 6). The address is checked, and the connection is made to the
 * checked address; redirects aren't followed, proxies of the environment aren't used, and nothing takes longer than its limit.
 */
export type Outbound = {
  post(sending: Sending): Promise<Received>;
  /** Why a URL may never be used, or undefined. The addresses of its name aren't looked up here, so a later request may still fail. */
  refuses(url: string): string | undefined;
  close(): void;
};

export type OutboundOptions = {
  /** Private address ranges that may be reached. */
  allow: readonly string[];
  resolve?: Resolver;
};

const maxAddresses = 3;
const agentOptions = { keepAlive: true, maxFreeSockets: 64, scheduling: 'lifo', timeout: 30_000 } as const;

export function openOutbound({ allow, resolve = openResolver({ limits: resourceLimits().names }) }: OutboundOptions): Outbound {
  const isOpen = addressCheck(allow);
  const agents = { 'http:': new http.Agent(agentOptions), 'https:': new https.Agent(agentOptions) };
  return {
    async post(sending) {
      const limit = new AbortController();
      const timer = setTimeout(() => limit.abort(new OutboundError('timeout', 'timed out')), sending.within);
      try {
        const addresses = await orAborted(checkedAddresses(sending.url, isOpen, resolve), limit.signal);
        return await toFirst(addresses.slice(0, maxAddresses), (address) =>
          exchange({ ...sending, address, signal: limit.signal, agents }),
        );
      } finally {
        clearTimeout(timer);
      }
    },
    refuses(text) {
      const url = parseTarget(text);
      if (!url) return 'must be an http or https URL without a user and password';
      return isClosed(url, isOpen) ? 'is not reachable over the public Internet' : undefined;
    },
    close() {
      agents['http:'].destroy();
      agents['https:'].destroy();
    },
  };
}

const orAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  Promise.race([
    work,
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true })),
  ]);

/** Tries the addresses in turn. Where no connection was made, nothing was sent, so the next address can be tried. */
async function toFirst(addresses: readonly string[], send: (address: string) => Promise<Received>): Promise<Received> {
  let failure: unknown;
  for (const address of addresses) {
    try {
      return await send(address);
    } catch (error) {
      if (!(error instanceof Unconnected)) throw error;
      failure = error;
    }
  }
  throw failure;
}

/** The connection wasn't made. */
class Unconnected extends OutboundError {}

type Exchange = Sending & {
  address: string;
  signal: AbortSignal;
  agents: { 'http:': http.Agent; 'https:': https.Agent };
};

async function exchange(wanted: Exchange): Promise<Received> {
  const first = begin(wanted);
  try {
    return await first.reply;
  } catch (error) {
    // The connection was kept from an earlier request, and the receiver has closed it meanwhile. The request didn't arrive.
    if (first.request.reusedSocket && !first.answered() && isClosedByPeer(error) && !wanted.signal.aborted)
      return await begin(wanted).reply.catch((again) => Promise.reject(asOutboundError(again, wanted)));
    throw asOutboundError(error, wanted);
  }
}

const isClosedByPeer = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');

function asOutboundError(error: unknown, { signal }: Exchange): OutboundError {
  if (signal.aborted && signal.reason instanceof OutboundError) return signal.reason;
  if (error instanceof OutboundError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const syscall = error instanceof Error && 'syscall' in error ? error.syscall : undefined;
  return syscall === 'connect' ? new Unconnected('connection', message) : new OutboundError('connection', message);
}

function begin({ url, headers, body, anyCertificate, keep, address, signal, agents }: Exchange): {
  request: ClientRequest;
  reply: Promise<Received>;
  answered: () => boolean;
} {
  const secure = url.protocol === 'https:';
  const options = {
    method: 'POST',
    host: address,
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    path: url.pathname + url.search,
    headers: { host: url.host, ...headers, 'content-length': body.length },
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
  const reply = new Promise<Received>((resolve, reject) => {
    request.on('error', reject);
    request.on('response', (response) => {
      answered = true;
      readReply(response, keep).then(resolve, reject);
    });
  });
  request.end(body);
  return { request, reply, answered: () => answered };
}

/** Reads a reply with the kept part of its body. If the body is longer, the connection is closed. */
async function readReply(response: IncomingMessage, keep: number): Promise<Received> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk.subarray(0, keep - length));
    length += chunk.length;
    if (length >= keep) break; // leaving the loop destroys the stream
  }
  const headers = Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );
  return { status: response.statusCode ?? 0, headers, body: Buffer.concat(chunks) };
}
