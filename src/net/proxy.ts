// An HTTP proxy for programs that have no network of their own.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Duplex } from 'node:stream';
import { initialValues } from '#lib/limits.ts';
import { http } from './http.ts';
import { nameLimits } from './limits.ts';
import { type AddressCheck, addressCheck, rangeCheck } from './ranges.ts';
import { openResolver } from './resolver.ts';
import { checkedAddresses, OutboundError, parseTarget, type Resolver } from './target.ts';

/** A host and port, as in `code.example.com:443`, with an IPv6 address in brackets. */
type Authority = { readonly host: string; readonly port: number };

type ProxyOptions = {
  /** The one target that is reached without a check of its address. */
  readonly always: Authority;
  /** Whether public addresses are reached at the ports of the web. Otherwise the proxy reaches nothing else. */
  readonly internet: boolean;
  /** Address ranges that are reached at any port. */
  readonly allow: readonly string[];
  readonly resolve?: Resolver;
};

const webPorts: readonly number[] = [80, 443];
const maxConnections = 256;
const maxAddresses = 3;
const connectTimeoutMs = 10_000;
const idleTimeoutMs = 10 * 60_000;
/** Headers that concern one connection alone (RFC 9110, section 7.6.1). */
const hopHeaders: ReadonlySet<string> = new Set(
  'connection proxy-connection proxy-authorization keep-alive te trailer transfer-encoding upgrade'.split(' '),
);

/**
 * A proxy for requests of plain HTTP and for tunnels (`CONNECT`). It connects to an address that it has checked, as all requests
 * of Hearth do (security decision 6), and never to an address of this machine.
 */
export function openProxy({ always, internet, allow, resolve }: ProxyOptions): Server {
  const lookUp = resolve ?? openResolver({ limits: initialValues(nameLimits) });
  const [isPublic, isGranted] = [addressCheck([]), rangeCheck(allow)];
  const open = async (target: Authority): Promise<Socket> => {
    if (isSame(target, always)) return openSocket([always.host], always.port);
    if (!internet && allow.length === 0) throw new OutboundError('refused_address', 'jobs reach no other server');
    const own = ownAddresses();
    const isWeb = internet && webPorts.includes(target.port);
    const isAllowed: AddressCheck = (address) => isGranted(address) || (isWeb && isPublic(address) && !own.has(address));
    const url = new URL(`http://${target.host.includes(':') ? `[${target.host}]` : target.host}/`);
    return openSocket((await checkedAddresses(url, isAllowed, lookUp)).slice(0, maxAddresses), target.port);
  };
  const server = http.createServer((request, response) => void forward(open, request, response));
  server.maxConnections = maxConnections;
  server.requestTimeout = 0; // uploads may be long
  server.on('connect', (request: IncomingMessage, client: Duplex, head: Buffer) => void tunnel(open, request, client, head));
  return server;
}

type Open = (target: Authority) => Promise<Socket>;

const isSame = (a: Authority, b: Authority): boolean => a.port === b.port && a.host.toLowerCase() === b.host.toLowerCase();

/** The addresses of this machine, whose services may trust whoever comes from it. */
const ownAddresses = (): ReadonlySet<string> =>
  new Set(Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address)));

async function openSocket(addresses: readonly string[], port: number): Promise<Socket> {
  let failure: unknown;
  for (const host of addresses) {
    try {
      return await connectTo(host, port);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

function connectTo(host: string, port: number): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = connect({ host, port });
  socket.setTimeout(connectTimeoutMs, () => socket.destroy(new OutboundError('timeout', 'timed out')));
  socket.once('connect', () => {
    socket.setTimeout(idleTimeoutMs, () => socket.destroy());
    resolve(socket);
  });
  socket.once('error', reject);
  return promise;
}

async function tunnel(open: Open, { url = '' }: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
  client.on('error', () => client.destroy());
  try {
    const target = authorityOf(url);
    if (!target) throw new OutboundError('invalid_url', 'not a host and port');
    const socket = await open(target);
    socket.on('error', () => client.destroy());
    socket.on('close', () => client.destroy());
    client.on('close', () => socket.destroy());
    if (client.destroyed) return void socket.destroy();
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    socket.write(head);
    client.pipe(socket).pipe(client);
  } catch (error) {
    const { status, text } = refusalOf(error);
    client.end(`HTTP/1.1 ${status} Refused\r\ncontent-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`);
  }
}

async function forward(open: Open, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const url = parseTarget(request.url ?? '');
    if (url?.protocol !== 'http:') throw new OutboundError('invalid_url', 'not an http address');
    const target = { host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port: url.port === '' ? 80 : Number(url.port) };
    const socket = await open(target);
    const upstream = http.request({
      createConnection: () => socket,
      method: request.method,
      path: url.pathname + url.search,
      headers: { ...forwarded(request), host: url.host, connection: 'close' },
    });
    upstream.on('error', () => response.destroy());
    response.on('close', () => socket.destroy());
    upstream.on('response', (reply) => {
      reply.on('error', () => response.destroy());
      try {
        response.writeHead(reply.statusCode ?? 502, forwarded(reply));
        reply.pipe(response);
      } catch {
        // A server may answer with a status or headers that can't be sent.
        socket.destroy();
        response.destroy();
      }
    });
    request.pipe(upstream);
  } catch (error) {
    const { status, text } = refusalOf(error);
    response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(text);
  }
}

/** The headers of a message that go on to its receiver. The body of a known length keeps it, others are sent in chunks. */
function forwarded({ headers }: IncomingMessage): Record<string, string | string[]> {
  const kept = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || hopHeaders.has(name) ? [] : [[name, value] as const],
  );
  return Object.fromEntries(kept);
}

function authorityOf(text: string): Authority | undefined {
  const url = /^[^/?#@\s]+:\d{1,5}$/.test(text) ? URL.parse(`http://${text}/`) : null;
  if (!url) return undefined;
  return { host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(text.slice(text.lastIndexOf(':') + 1)) };
}

function refusalOf(error: unknown): { status: number; text: string } {
  if (!(error instanceof OutboundError)) return { status: 502, text: 'The connection could not be opened\n' };
  return { status: error.kind === 'unresolved' ? 502 : 403, text: `Refused: ${error.message}\n` };
}
