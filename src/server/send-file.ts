// Sends files that clients may request in parts, to resume an interrupted download (RFC 9110, 14).
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { File } from '#endpoint/call.ts';
import { notFound } from '#lib/refusal.ts';
import { isNotModified } from './conditional.ts';

type Exchange = { request: FastifyRequest; reply: FastifyReply };

/**
 * Sends a file or the requested part of it, or a 304 or 416 without content. Returns the status.
 * @param begin is called before bytes are read
 * @throws Refusal 404 if the file no longer exists
 */
export async function sendFile({ request, reply }: Exchange, file: File, begin: () => Promise<void>): Promise<number> {
  const { size, etag, modified } = file;
  reply.headers({ etag, 'last-modified': modified.toUTCString(), 'accept-ranges': 'bytes' });
  if (isNotModified(request.headers, { etag, lastModified: modified })) {
    await reply.code(304).send();
    return 304;
  }
  const range = isRangeWanted(request, file) ? rangeOf(request.headers.range, size) : undefined;
  if (range === 'unsatisfiable') {
    await reply.code(416).header('content-range', `bytes */${size}`).send();
    return 416;
  }
  const status = range ? 206 : 200;
  reply.code(status).header('content-length', range ? range.end - range.start + 1 : size);
  if (range) reply.header('content-range', `bytes ${range.start}-${range.end}/${size}`);
  if (request.method === 'HEAD') {
    await reply.send(Readable.from([])); // keeps the file's length
    return status;
  }
  await begin();
  const stream = await file.open(range);
  if (!stream) {
    for (const name of ['etag', 'last-modified', 'accept-ranges', 'content-length', 'content-range', 'content-disposition'])
      reply.removeHeader(name);
    throw notFound();
  }
  if (reply.raw.destroyed) stream.destroy();
  await reply.send(stream);
  return status;
}

/** A part is useful only for the file that the client has the beginning of. Otherwise the client gets the whole file. */
function isRangeWanted({ method, headers }: FastifyRequest, { etag, modified }: File): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  const condition = headers['if-range'];
  if (typeof condition !== 'string') return true;
  return condition.includes('"') ? condition.trim() === etag : condition.trim() === modified.toUTCString();
}

/**
 * The bytes that a `Range` header requests. For several or malformed ranges, the whole file is sent (undefined).
 * @example rangeOf('bytes=5-', 10) // { start: 5, end: 9 }
 */
export function rangeOf(header: string | undefined, size: number): { start: number; end: number } | 'unsatisfiable' | undefined {
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header?.trim() ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  if (from === '') return Number(to) === 0 ? 'unsatisfiable' : { start: Math.max(0, size - Number(to)), end: size - 1 };
  const [start, end] = [Number(from), to === '' ? size - 1 : Math.min(Number(to), size - 1)];
  if (to !== '' && Number(to) < start) return undefined;
  return start >= size ? 'unsatisfiable' : { start, end };
}
