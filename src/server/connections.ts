import type { Server as HttpServer } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { callerOf } from '#access/rate-limits.ts';
import { anonymous } from '#access/viewer.ts';
import type { ResourceLimits } from '#lib/limits.ts';
import { rangeCheck } from '#net/ranges.ts';
import type { LimitRefusals } from './limit-refusals.ts';

/** How often Node checks for connections whose headers are late. */
const checkMs = 5_000;

type Bounds = ResourceLimits['requests'];

/** The options of the HTTP server that follow from the limits. */
export const connectionOptions = ({ headersTime }: Bounds) => ({
  headersTimeout: headersTime,
  connectionsCheckingInterval: Math.min(checkMs, headersTime),
});

type Parts = { bounds: Bounds; refusals: LimitRefusals; trustedProxies?: readonly string[] | undefined };

/** The number of requests of a connection, its last reply, and whether that reply's body is in memory (not a stream). */
type ConnectionState = { requests: number; reply: FastifyReply; isText: boolean };

/** Limits the connections of the process and of each address, the requests of each connection, and the time for reading a reply. */
export function limitConnections(app: FastifyInstance, parts: Parts): void {
  const { bounds, refusals } = parts;
  const server = app.server as HttpServer;
  server.maxConnections = bounds.connections;
  server.on('drop', (dropped) => refusals.note({ ip: dropped?.remoteAddress ?? 'unknown' }, 'requests.connections'));
  server.on('connection', connectionCounter(parts));
  const connections = new WeakMap<Socket, ConnectionState>();
  server.setTimeout(bounds.replyIdle, (socket: Socket) => {
    const connection = connections.get(socket);
    if (connection) closeIdle(socket, connection, refusals);
  });
  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw;
    const requests = (connections.get(socket)?.requests ?? 0) + 1;
    connections.set(socket, { requests, reply, isText: false });
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
 * Closes an idle connection: between requests, or when the client doesn't read a reply, which takes memory and a slot of the
 * limiter meanwhile. A reply that isn't written yet may take longer; streams and headers have limits of their own.
 */
function closeIdle(socket: Socket, connection: ConnectionState, refusals: LimitRefusals): void {
  if (!connection.reply.raw.writableFinished) {
    if (!connection.isText || socket.writableLength === 0) return;
    refusals.note(connection.reply.request, 'requests.replyIdle');
  }
  socket.destroy();
}

/** Closes connections of an address that has too many. Trusted proxies are exempt, since they serve many clients. */
function connectionCounter({ bounds, refusals, trustedProxies = [] }: Parts): (socket: Socket) => void {
  const isProxy = rangeCheck(trustedProxies);
  const open = new Map<string, number>();
  return (socket) => {
    const ip = socket.remoteAddress;
    if (ip === undefined || isProxy(ip)) return;
    const { key } = callerOf(anonymous, ip);
    const count = open.get(key) ?? 0;
    if (count >= bounds.connectionsPerAddress) {
      refusals.note({ ip }, 'requests.connectionsPerAddress');
      socket.destroy();
      return;
    }
    open.set(key, count + 1);
    socket.once('close', () => {
      const remaining = (open.get(key) ?? 1) - 1;
      if (remaining > 0) open.set(key, remaining);
      else open.delete(key);
    });
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
