import type { Server as HttpServer } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { callerOf } from '#access/rate-limits.ts';
import { anonymous } from '#access/viewer.ts';
import type { ResourceLimits } from '#lib/limits.ts';
import { rangeCheck } from '#net/ranges.ts';
import type { LimitRefusals } from './limit-refusals.ts';

/** How often connections are looked at whose headers are late. */
const checkMs = 5_000;

type Bounds = ResourceLimits['requests'];

/** The options of the HTTP server that follow from the limits. */
export const connectionOptions = ({ headersTime }: Bounds) => ({
  headersTimeout: headersTime,
  connectionsCheckingInterval: Math.min(checkMs, headersTime),
});

type Parts = { bounds: Bounds; refusals: LimitRefusals; trustedProxies?: readonly string[] | undefined };

/** How many requests came over a connection, the reply that is due on it, and whether that is a text, whose end is in memory already. */
type Use = { requests: number; due: FastifyReply; isText: boolean };

/** Bounds the connections of the process and of each address, the requests over each of them, and the time that clients may take to read their replies. */
export function limitConnections(app: FastifyInstance, parts: Parts): void {
  const { bounds, refusals } = parts;
  const server = app.server as HttpServer;
  server.maxConnections = bounds.connections;
  server.on('drop', (dropped) => refusals.note({ ip: dropped?.remoteAddress ?? 'unknown' }, 'requests.connections'));
  server.on('connection', connectionCounter(parts));
  const uses = new WeakMap<Socket, Use>();
  server.setTimeout(bounds.replyIdle, (socket: Socket) => {
    const use = uses.get(socket);
    if (use) closeIdle(socket, use, refusals);
  });
  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw;
    const requests = (uses.get(socket)?.requests ?? 0) + 1;
    uses.set(socket, { requests, due: reply, isText: false });
    if (requests >= bounds.perConnection) reply.header('connection', 'close');
    done();
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    if (typeof payload === 'string' || Buffer.isBuffer(payload)) {
      const use = uses.get(request.raw.socket);
      if (use) use.isText = true;
      const bytes = Buffer.byteLength(payload);
      if (bytes >= bounds.replyRate) limitReading(reply, { bounds, bytes, note: (limit) => refusals.note(request, limit) });
    }
    done(null, payload);
  });
}

/**
 * Closes a connection on which nothing moves: when no reply is due, or when one isn't read, which stays in memory meanwhile, and holds
 * its caller's place. A reply that is still worked on may take longer; streams and headers have limits of their own.
 */
function closeIdle(socket: Socket, use: Use, refusals: LimitRefusals): void {
  if (!use.due.raw.writableFinished) {
    if (!use.isText || socket.writableLength === 0) return;
    refusals.note(use.due.request, 'requests.replyIdle');
  }
  socket.destroy();
}

/** Closes connections of an address that has too many. Those of a trusted proxy belong to many people. */
function connectionCounter({ bounds, refusals, trustedProxies = [] }: Parts): (socket: Socket) => void {
  const isProxy = rangeCheck(trustedProxies);
  const open = new Map<string, number>();
  return (socket) => {
    const ip = socket.remoteAddress;
    if (ip === undefined || isProxy(ip)) return;
    const { key } = callerOf(anonymous, ip);
    const before = open.get(key) ?? 0;
    if (before >= bounds.connectionsPerAddress) {
      refusals.note({ ip }, 'requests.connectionsPerAddress');
      socket.destroy();
      return;
    }
    open.set(key, before + 1);
    socket.once('close', () => {
      const left = (open.get(key) ?? 1) - 1;
      if (left > 0) open.set(key, left);
      else open.delete(key);
    });
  };
}

type Reading = { bounds: Bounds; bytes: number; note: (limit: string) => void };

/** Closes the connection of a client that takes too long over a long reply. */
function limitReading({ raw }: FastifyReply, { bounds, bytes, note }: Reading): void {
  const close = (): void => {
    if (raw.writableFinished) return;
    note('requests.replyRate');
    raw.destroy();
  };
  const deadline = setTimeout(close, bounds.replyIdle + (bytes / bounds.replyRate) * 1_000).unref();
  raw.once('close', () => clearTimeout(deadline));
}
