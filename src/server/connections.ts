import type { Server as HttpServer } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { callerOf } from '#access/rate-limits.ts';
import { anonymous } from '#access/viewer.ts';
import type { requestLimits } from '#lib/limits/requests.ts';
import type { LimitValues } from '#lib/limits.ts';
import { rangeCheck } from '#net/ranges.ts';
import type { LimitRefusals } from './limit-refusals.ts';
import { nameOfPeer, OpenConnections } from './open-connections.ts';

/** Connections that are being closed to make room, but that Node still counts. */
const closingConnections = 256;

/** The interval at which Node checks for connections with late headers. */
const checkMs = 5_000;

type Bounds = LimitValues<typeof requestLimits>;

/** The options of the HTTP server that follow from the limits. */
export const connectionOptions = ({ headersTime }: Bounds) => ({
  headersTimeout: headersTime,
  connectionsCheckingInterval: Math.min(checkMs, headersTime),
});

type Parts = { bounds: Bounds; refusals: LimitRefusals; trustedProxies?: readonly string[] | undefined };

/** A connection's number of requests, its last reply, and whether that reply's body is in memory (and not a stream). */
type ConnectionState = { requests: number; reply: FastifyReply; isText: boolean };

/**
 * Limits the connections of the process and of each address, the requests of each connection, and the time for reading a reply.
 */
export function limitConnections(app: FastifyInstance, parts: Parts): void {
  const { bounds, refusals } = parts;
  const server = app.server as HttpServer;
  server.maxConnections = bounds.connections + closingConnections;
  server.on('drop', (dropped) => refusals.note({ ip: dropped?.remoteAddress ?? 'unknown' }, 'requests.connections'));
  const connections = new WeakMap<Socket, ConnectionState>();
  const lastReplies = new Map<string, FastifyReply | undefined>();
  server.on('connection', connectionCounter(parts, lastReplies));
  server.setTimeout(bounds.replyIdle, (socket: Socket) => {
    const connection = connections.get(socket);
    if (connection) closeIdle(socket, connection, refusals);
  });
  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw;
    const requests = (connections.get(socket)?.requests ?? 0) + 1;
    connections.set(socket, { requests, reply, isText: false });
    if (lastReplies.has(nameOfPeer(socket))) lastReplies.set(nameOfPeer(socket), reply);
    if (requests >= bounds.perConnection) reply.header('connection', 'close');
    done();
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    if (typeof payload === 'string' || Buffer.isBuffer(payload)) {
      const connection = connections.get(request.raw.socket);
      if (connection) connection.isText = true;
      const bytes = Buffer.byteLength(payload);
      if (bytes >= bounds.replyRate) limitReading(reply, { bounds, bytes, note: (limit) => refusals.note(request, limit) });
    }
    done(null, payload);
  });
}

/**
 * Closes an idle connection: between requests, or if the client doesn't read a reply, which occupies memory and a slot of the
 * limiter in the meantime. A reply that isn't written yet may take longer. Streams and headers have their own limits.
 */
function closeIdle(socket: Socket, connection: ConnectionState, refusals: LimitRefusals): void {
  if (!connection.reply.raw.writableFinished) {
    if (!connection.isText || socket.writableLength === 0) return;
    refusals.note(connection.reply.request, 'requests.replyIdle');
  }
  socket.destroy();
}

/**
 * Closes connections of an address that has too many. If the process has too many, it closes an idle one to make room: the oldest
 * one of the address with the most connections. Trusted proxies are exempt, since they serve many clients.
 */
function connectionCounter(
  { bounds, refusals, trustedProxies = [] }: Parts,
  lastReplies: Map<string, FastifyReply | undefined>,
): (socket: Socket) => void {
  const isProxy = rangeCheck(trustedProxies);
  const open = new OpenConnections();
  let total = 0;
  const refuse = (socket: Socket, limit: string): void => {
    refusals.note({ ip: socket.remoteAddress ?? 'unknown' }, limit);
    socket.destroy();
  };
  const isIdle = (name: string): boolean => lastReplies.get(name)?.raw.writableFinished !== false;
  return (socket) => {
    const ip = socket.remoteAddress;
    if (ip === undefined) return;
    const key = isProxy(ip) ? undefined : callerOf(anonymous, ip).key;
    if (key !== undefined && open.of(key) >= bounds.connectionsPerAddress)
      return refuse(socket, 'requests.connectionsPerAddress');
    if (total >= bounds.connections) {
      const idle = open.findIdle(isIdle);
      if (!idle) return refuse(socket, 'requests.connections');
      refuse(idle, 'requests.connections');
    }
    const name = nameOfPeer(socket);
    total++;
    lastReplies.set(name, undefined);
    socket.once('close', () => {
      total--;
      lastReplies.delete(name);
    });
    if (key !== undefined) open.add(key, { socket, name });
  };
}

type ReadDeadline = { bounds: Bounds; bytes: number; note: (limit: string) => void };

/** Closes the connection of a client that reads a long reply too slowly. */
function limitReading({ raw }: FastifyReply, { bounds, bytes, note }: ReadDeadline): void {
  const close = (): void => {
    if (raw.writableFinished) return;
    note('requests.replyRate');
    raw.destroy();
  };
  const deadline = setTimeout(close, bounds.replyIdle + (bytes / bounds.replyRate) * 1_000).unref();
  raw.once('close', () => clearTimeout(deadline));
}
