import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerOf } from '#access/rate-limits.ts';
import { anonymous } from '#access/viewer.ts';
import type { Endpoint } from '#endpoint/endpoint.ts';
import type { Caller } from '#lib/caller.ts';
import type { ConcurrencyLimiter } from '#lib/concurrency-limiter.ts';
import { type Json, jsonReader } from '#lib/json-reader.ts';
import type { ResourceLimits } from '#lib/limits.ts';
import { Refusal } from '#lib/refusal.ts';
import { admit } from './admit.ts';
import { type ReceiveLimits, receiveBody, tooLarge } from './receive-body.ts';

type Exchange = { request: FastifyRequest; reply: FastifyReply };

/** Reads the bodies of requests, each within the limits of its kind, and all within the bytes that the process has for them. */
export type BodyReader = {
  /** The JSON of a request that was let in; undefined where it has no body. */
  json(exchange: Exchange, endpoint: Endpoint, caller: Caller): Promise<Json | undefined>;
  /** The text of a form that somebody sends before they are signed in. */
  form(exchange: Exchange): Promise<string>;
};

/** @param together the bytes of all bodies that the process holds */
export function bodyReader(bounds: ResourceLimits['requests'], together: ConcurrencyLimiter): BodyReader {
  const pace = { time: bounds.bodyTime, rate: bounds.bodyRate };

  const receive = async (exchange: Exchange, caller: Caller, limits: ReceiveLimits, take: (part: Buffer) => void) => {
    const { request, reply } = exchange;
    checkEncoding(request);
    const length = lengthOf(request);
    if (length === 0) return;
    if (length !== undefined && length > limits.bytes) throw tooLarge(limits);
    // Who doesn't say how long a body is may send the longest.
    const release = await admit(together, caller, reply, { places: length ?? limits.bytes });
    try {
      askForBody(exchange);
      await receiveBody(request.raw, limits, take);
    } catch (error) {
      release();
      throw error;
    }
  };

  return {
    async json(exchange, { carries }, caller) {
      const isFile = carries === 'file';
      if (exchange.request.headers['content-type']?.startsWith('multipart/'))
        throw new Refusal('unsupported_media', 'The body must be JSON');
      const bytes = isFile
        ? { bytes: bounds.fileBody, name: 'requests.fileBody' }
        : { bytes: bounds.body, name: 'requests.body' };
      const reader = jsonReader({
        depth: bounds.bodyDepth,
        values: isFile ? bounds.fileBodyValues : bounds.bodyValues,
        names: { depth: 'requests.bodyDepth', values: isFile ? 'requests.fileBodyValues' : 'requests.bodyValues' },
      });
      await receive(exchange, caller, { ...bytes, ...pace }, (part) => reader.write(part));
      return reader.end();
    },
    async form(exchange) {
      const parts: Buffer[] = [];
      const bytes = { bytes: bounds.formBody, name: 'requests.formBody' };
      const caller = callerOf(anonymous, exchange.request.ip);
      await receive(exchange, caller, { ...bytes, ...pace }, (part) => parts.push(part));
      return Buffer.concat(parts).toString();
    },
  };
}

/** Tells a client that waits for it (`Expect: 100-continue`) to send the body. */
export function askForBody({ request, reply }: Exchange): void {
  if (isExpecting(request)) reply.raw.writeContinue();
}

/** Whether a client sends its body only when it is told to. */
export const isExpecting = ({ headers }: FastifyRequest): boolean => headers.expect?.toLowerCase() === '100-continue';

/** Bytes of the body as the client tells them; undefined where it doesn't, since it sends them in chunks. */
export function lengthOf({ headers }: FastifyRequest): number | undefined {
  if (headers['transfer-encoding'] !== undefined) return undefined;
  return Number(headers['content-length'] ?? 0);
}

function checkEncoding({ headers }: FastifyRequest): void {
  const encoding = headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (encoding !== 'identity') throw new Refusal('unsupported_media', 'The body must not be compressed');
}
