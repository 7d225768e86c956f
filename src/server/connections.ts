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

/** Bounds the connections of the process and of each address, the requests over each of them, and the time that clients may take to read their replies. */
export function limitConnections(app: FastifyInstance, parts: Parts): void {
  const { bounds, refusals } = parts;
  const server = app.server as HttpServer;
  server.maxConnections = bounds.connections;
  server.on('drop', (dropped) => refusals.note({ ip: dropped?.remoteAddress ?? 'unknown' }, 'requests.connections'));
  server.on('connection', connectionCounter(parts));
  const requestsOver = new WeakMap<Socket, number>();
  app.addHook('onRequest', async (request, reply) => {
    const count = (requestsOver.get(request.socket) ?? 0) + 1;
    requestsOver.set(request.socket, count);
    if (count >= bounds.perConnection) reply.header('connection', 'close');
  });
  app.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return;
    limitReading(reply, { bounds, bytes: Buffer.byteLength(payload), note: (limit) => refusals.note(request, limit) });
  });
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

/** A reply that isn't read stays in memory, and holds its caller's place: after a while, its connection is closed. */
function limitReading({ raw }: FastifyReply, { bounds, bytes, note }: Reading): void {
  const close = (limit: string): void => {
    if (raw.writableFinished) return;
    note(limit);
    raw.destroy();
  };
  raw.setTimeout(bounds.replyIdle, () => close('requests.replyIdle'));
  if (bytes < bounds.replyRate) return;
  const deadline = setTimeout(() => close('requests.replyRate'), bounds.replyIdle + (bytes / bounds.replyRate) * 1_000).unref();
  const done = (): void => clearTimeout(deadline);
  raw.once('finish', done).once('close', done);
}
