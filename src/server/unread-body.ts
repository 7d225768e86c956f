import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { requestLimits } from '#lib/limits/requests.ts';
import type { LimitValues } from '#lib/limits.ts';
import { contentLength, expectsContinue } from './read-body.ts';

/** An unread body up to this many bytes is discarded, which costs less than a new connection. */
const discardedByNode = 64 * 1024;

/**
 * Limits how much is received of a body that is refused without being read, for example without a credential. The connection is
 * closed after a delay, since a client that is still sending would miss the reply.
 */
export function boundUnreadBodies(app: FastifyInstance, bounds: LimitValues<typeof requestLimits>): void {
  app.addHook('onSend', (request, reply, payload, done) => done(null, boundUnread(payload, { request, reply, bounds })));
}

type Unread = { request: FastifyRequest; reply: FastifyReply; bounds: LimitValues<typeof requestLimits> };

/** The payload to send: the given one, or a stream that sends it and then discards the rest of the body. */
function boundUnread(payload: unknown, { request, reply, bounds }: Unread): unknown {
  const { raw } = request;
  if (raw.complete !== false) {
    if (reply.statusCode >= 400) raw.resume(); // drops the received bytes
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
  return Readable.from(payloadThenDiscard(payload, raw, bounds), { objectMode: false });
}

/** Whether a stream, such as Git's, reads the body while the reply is sent. */
const isBeingRead = ({ readableFlowing }: IncomingMessage, payload: unknown): boolean =>
  payload instanceof Readable && readableFlowing !== null;

function isSmall(request: FastifyRequest): boolean {
  const length = contentLength(request);
  return length !== undefined && length <= discardedByNode && !expectsContinue(request);
}

async function* payloadThenDiscard(payload: string | Buffer, raw: IncomingMessage, bounds: LimitValues<typeof requestLimits>) {
  yield payload;
  const { promise, resolve } = Promise.withResolvers<void>();
  let remaining = bounds.discarded;
  const onData = (part: Buffer): void => {
    remaining -= part.length;
    if (remaining <= 0) resolve();
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
