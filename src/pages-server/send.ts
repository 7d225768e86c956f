// Sends a file of a website, or a part of it (RFC 9110, 13 and 14).

import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { openBlob } from '#git/objects/archive.ts';
import { openObjects } from '#git/objects/objects.ts';
import type { GitRepository } from '#git/repo.ts';
import type { LimitValues } from '#lib/limits.ts';
import type { pagesLimits } from '#resources/actions/pages/index.ts';
import { isNotModified } from '#server/conditional.ts';
import { rangeOf } from '#server/send-file.ts';
import type { SiteFile } from './find-file.ts';

type Exchange = { request: FastifyRequest; reply: FastifyReply };
type Range = { start: number; end: number };

/** The headers of every website reply. Browsers revalidate each time, and don't guess media types. */
export const siteHeaders = { 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' } as const;

/**
 * The headers of a private website's replies. Only browsers may cache them. No other website may load or frame it or learn its
 * contents, even if both hosts belong to one site, so that the reader's cookie is sent.
 */
export const privateHeaders = {
  ...siteHeaders,
  'cache-control': 'private, no-cache',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "frame-ancestors 'self'",
  'referrer-policy': 'same-origin',
} as const;

/** Sends a file, a 304 or a part of the file, depending on the request. */
export async function sendFile(
  { request, reply }: Exchange,
  gitRepository: GitRepository,
  file: SiteFile,
  bounds: LimitValues<typeof pagesLimits>,
): Promise<FastifyReply> {
  const etag = `"${file.oid}"`;
  reply.headers({ etag, 'accept-ranges': 'bytes' });
  if (isNotModified(request.headers, { etag, lastModified: undefined })) return reply.code(304).send();
  const range = isRangeWanted(request, etag) ? rangeOf(request.headers.range, file.size) : undefined;
  if (range === 'unsatisfiable') return reply.code(416).header('content-range', `bytes */${file.size}`).send();
  if (range) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${file.size}`);
  return sendBytes({ request, reply }, gitRepository, file, { range, bounds });
}

/** Sends a website's own page for missing files. */
export const sendMissing = (
  exchange: Exchange,
  gitRepository: GitRepository,
  file: SiteFile,
  bounds: LimitValues<typeof pagesLimits>,
) => {
  exchange.reply.code(404);
  return sendBytes(exchange, gitRepository, file, { range: undefined, bounds });
};

async function sendBytes(
  { request, reply }: Exchange,
  gitRepository: GitRepository,
  file: SiteFile,
  { range, bounds }: { range: Range | undefined; bounds: LimitValues<typeof pagesLimits> },
): Promise<FastifyReply> {
  const { start, end } = range ?? { start: 0, end: file.size - 1 };
  reply.header('content-type', file.type);
  const data =
    file.data ?? (request.method !== 'HEAD' && file.size <= bounds.memory ? await readAll(gitRepository, file) : undefined);
  if (data) return reply.send(range ? data.subarray(start, end + 1) : data);
  reply.header('content-length', end - start + 1);
  if (request.method === 'HEAD') return reply.send(Readable.from([])); // keeps the file's length
  const blob = await openBlob(gitRepository, file.oid);
  if (reply.raw.destroyed) blob.destroy();
  return reply.send(range ? Readable.from(partOf(blob, range)) : blob);
}

async function readAll(gitRepository: GitRepository, { oid }: SiteFile): Promise<Buffer> {
  await using reader = await openObjects(gitRepository, { isBulk: true });
  return (await reader.get(oid, { type: 'blob' })).data;
}

/** A part is useful only for the file that the client has the beginning of. Otherwise the client gets the whole file. */
function isRangeWanted({ method, headers }: FastifyRequest, etag: string): boolean {
  const condition = headers['if-range'];
  return method === 'GET' && (condition === undefined || condition === etag);
}

/** The bytes of a stream from `start` to `end`. It then ends the stream. */
async function* partOf(stream: Readable, { start, end }: Range): AsyncGenerator<Buffer> {
  let at = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const part = chunk.subarray(Math.max(0, start - at), end + 1 - at);
    at += chunk.length;
    if (part.length > 0) yield part;
    if (at > end) return; // leaving the loop ends git
  }
}

const textOf = ({ title, html }: { title: string; html: string }): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>body{font:1.1rem/1.5 system-ui,sans-serif;margin:15vh auto;max-width:32rem;padding:0 1rem}</style>
${html}
</html>
`;

/** Sends one of the server's own pages. */
export const sendPage = (reply: FastifyReply, page: { title: string; html: string }): FastifyReply =>
  reply
    .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
    .type('text/html; charset=utf-8')
    .send(textOf(page));

/** The reply for missing files, and for files that the reader may not see. */
export const sendNothing = (reply: FastifyReply): FastifyReply =>
  sendPage(reply.code(404), { title: 'Not found', html: '<h1>404</h1>\n<p>There is nothing at this address.</p>' });
