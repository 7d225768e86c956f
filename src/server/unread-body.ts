import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ResourceLimits } from '#lib/limits.ts';
import { isExpecting, lengthOf } from './read-body.ts';

/** A rest of so many bytes is thrown away by the HTTP server itself, which costs less than a new connection. */
const few = 64 * 1024;

/**
 * Bounds what is taken of a body that nobody wanted, as where its sender isn't signed in. The connection is closed, but not at once:
 * a client that is still sending would miss the reply.
 */
export function boundUnreadBodies(app: FastifyInstance, bounds: ResourceLimits['requests']): void {
  app.addHook('onSend', (request, reply, payload, done) => done(null, boundUnread(payload, { request, reply, bounds })));
}

type Unread = { request: FastifyRequest; reply: FastifyReply; bounds: ResourceLimits['requests'] };

/** Gives the payload to send, which may be one that takes the rest of the body before it ends. */
function boundUnread(payload: unknown, { request, reply, bounds }: Unread): unknown {
  const { raw } = request;
  if (raw.complete !== false) {
    if (reply.statusCode >= 400) raw.resume(); // drops what was received
    return payload;
  }
  if (isBeingRead(raw, payload)) return payload;
  if (isSmall(request) && reply.statusCode !== 408) {
    raw.resume();
    return payload;
  }
  reply.header('connection', 'close');
  if ((typeof payload !== 'string' && !Buffer.isBuffer(payload)) || request.method === 'HEAD') return payload;
  reply.header('content-length', Buffer.byteLength(payload));
  return Readable.from(thenDiscard(payload, raw, bounds), { objectMode: false });
}

/** Git takes a body while it answers. */
const isBeingRead = ({ readableFlowing }: IncomingMessage, payload: unknown): boolean =>
  payload instanceof Readable && readableFlowing !== null;

function isSmall(request: FastifyRequest): boolean {
  const length = lengthOf(request);
  return length !== undefined && length <= few && !isExpecting(request);
}

async function* thenDiscard(payload: string | Buffer, raw: IncomingMessage, bounds: ResourceLimits['requests']) {
  yield payload;
  const { promise, resolve } = Promise.withResolvers<void>();
  let left = bounds.discarded;
  const onData = (part: Buffer): void => {
    left -= part.length;
    if (left <= 0) resolve();
  };
  const stop = (): void => resolve();
  const timer = setTimeout(stop, bounds.discardTime);
  raw.on('data', onData).once('end', stop).once('close', stop).once('error', stop);
  if (raw.destroyed) stop();
  raw.resume();
  await promise;
  clearTimeout(timer);
  raw.off('data', onData).off('end', stop).off('close', stop).off('error', stop);
}
