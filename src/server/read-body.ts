import { isUtf8 } from 'node:buffer';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerOf } from '#access/rate-limits.ts';
import { anonymous } from '#access/viewer.ts';
import type { Endpoint } from '#endpoint/endpoint.ts';
import type { Caller } from '#lib/caller.ts';
import type { ConcurrencyLimiter } from '#lib/concurrency-limiter.ts';
import { type Json, jsonReader } from '#lib/json-reader.ts';
import type { requestLimits } from '#lib/limits/requests.ts';
import { fixedValue, type LimitValues } from '#lib/limits.ts';
import { badRequest, Refusal } from '#lib/refusal.ts';
import { markdownLimits } from '#resources/platform/markdown/index.ts';
import { admit } from './admit.ts';
import { measureArrival } from './arrival-rate.ts';
import { type ReceiveLimits, receiveBody, receiveParts, tooLarge } from './receive-body.ts';

/** The maximum length of a body that is read as text. */
const textBytes = { bytes: fixedValue(markdownLimits.rendered), name: 'texts.rendered' };

type Exchange = { request: FastifyRequest; reply: FastifyReply };

/** Reads the bodies of requests, within the limits of each and the limit on the bytes of all bodies in memory. */
export type BodyReader = {
  /** The JSON body of an authorized request; undefined if it has none. */
  json(exchange: Exchange, endpoint: Pick<Endpoint, 'carries'>, caller: Caller): Promise<Json | undefined>;
  /** The plain text or Markdown of an authorized request. */
  text(exchange: Exchange, caller: Caller): Promise<string>;
  /** Passes on a body of any type in parts, one after the other. */
  parts(exchange: Exchange, most: Pick<ReceiveLimits, 'bytes' | 'name'>, take: (part: Buffer) => Promise<void>): Promise<void>;
  /** A body of any type and encoding, which is passed on unchanged. */
  bytes(exchange: Exchange, most: Pick<ReceiveLimits, 'bytes' | 'name'>, caller: Caller): Promise<Buffer>;
  /** The text of a form of a client that isn't signed in. */
  form(exchange: Exchange): Promise<string>;
};

/** @param heldBytes limits the bytes of all bodies in memory: one slot is one byte */
export function bodyReader(bounds: LimitValues<typeof requestLimits>, heldBytes: ConcurrencyLimiter): BodyReader {
  const timing = { time: bounds.bodyTime, rate: bounds.bodyRate };

  const receive = async (exchange: Exchange, caller: Caller, limits: ReceiveLimits, onPart: (part: Buffer) => void) => {
    const { request, reply } = exchange;
    const length = contentLength(request);
    if (length === 0) return;
    if (length !== undefined && length > limits.bytes) throw tooLarge(limits);
    // A body without a Content-Length may be as long as the limit.
    const arrival = measureArrival();
    const release = await admit(heldBytes, caller, reply, { slots: length ?? limits.bytes, work: arrival.work });
    try {
      sendContinue(exchange);
      await receiveBody(request.raw, { ...limits, ...arrival.begin() }, onPart);
    } catch (error) {
      release();
      throw error;
    } finally {
      arrival.end();
    }
  };

  const receiveAll = async (
    exchange: Exchange,
    caller: Caller,
    limits: Pick<ReceiveLimits, 'bytes' | 'name'>,
  ): Promise<Buffer> => {
    const parts: Buffer[] = [];
    await receive(exchange, caller, { ...limits, ...timing }, (part) => parts.push(part));
    return Buffer.concat(parts);
  };

  return {
    async json(exchange, { carries }, caller) {
      const isFile = carries === 'file';
      if (exchange.request.headers['content-type']?.startsWith('multipart/'))
        throw new Refusal('unsupported_media', 'The body must be JSON');
      checkEncoding(exchange.request);
      const bytes = isFile
        ? { bytes: bounds.fileBody, name: 'requests.fileBody' }
        : { bytes: bounds.body, name: 'requests.body' };
      const reader = jsonReader({
        depth: bounds.bodyDepth,
        values: isFile ? bounds.fileBodyValues : bounds.bodyValues,
        names: { depth: 'requests.bodyDepth', values: isFile ? 'requests.fileBodyValues' : 'requests.bodyValues' },
      });
      await receive(exchange, caller, { ...bytes, ...timing }, (part) => reader.write(part));
      return reader.end();
    },
    async text(exchange, caller) {
      if (!/^text\/(?:plain|x-markdown)\s*(?:;|$)/i.test(exchange.request.headers['content-type'] ?? ''))
        throw new Refusal('unsupported_media', 'The body must be text/plain or text/x-markdown');
      checkEncoding(exchange.request);
      const bytes = await receiveAll(exchange, caller, textBytes);
      if (!isUtf8(bytes)) throw badRequest('The body is not UTF-8');
      return bytes.toString();
    },
    async parts(exchange, most, take) {
      checkEncoding(exchange.request);
      const length = contentLength(exchange.request);
      if (length === 0) return;
      if (length !== undefined && length > most.bytes) throw tooLarge(most);
      sendContinue(exchange);
      await receiveParts(exchange.request.raw, { ...most, ...timing }, take);
    },
    bytes: (exchange, most, caller) => receiveAll(exchange, caller, most),
    async form(exchange) {
      checkEncoding(exchange.request);
      const most = { bytes: bounds.formBody, name: 'requests.formBody' };
      return (await receiveAll(exchange, callerOf(anonymous, exchange.request.ip), most)).toString();
    },
  };
}

/** Sends `100 Continue` to a client that waits for it before it sends the body. */
export function sendContinue({ request, reply }: Exchange): void {
  if (expectsContinue(request)) reply.raw.writeContinue();
}

/** Whether a client waits for `100 Continue` before it sends the body. */
export const expectsContinue = ({ headers }: FastifyRequest): boolean => headers.expect?.toLowerCase() === '100-continue';

/** The Content-Length of a body in bytes; undefined for a chunked one. */
export function contentLength({ headers }: FastifyRequest): number | undefined {
  if (headers['transfer-encoding'] !== undefined) return undefined;
  return Number(headers['content-length'] ?? 0);
}

function checkEncoding({ headers }: FastifyRequest): void {
  const encoding = headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (encoding !== 'identity') throw new Refusal('unsupported_media', 'The body must not be compressed');
}
