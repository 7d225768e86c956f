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

/** What every reply of a website has: browsers ask each time whether it is still the one, and guess no media type. */
export const siteHeaders = { 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' } as const;

/**
 * The same for a website that not everybody may see: only a browser keeps it, and no other website loads, frames or learns of what is there, though its
 * reader's cookie comes with such requests where the hosts of both are of one site.
 */
export const privateHeaders = {
  ...siteHeaders,
  'cache-control': 'private, no-cache',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "frame-ancestors 'self'",
  'referrer-policy': 'same-origin',
} as const;

/** Sends a file; 304 and parts of it where the request wants that. */
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

/** Sends the page of a website for what isn't there. */
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
  if (request.method === 'HEAD') return reply.send(Readable.from([])); // so that the length stays that of the file
  const blob = await openBlob(gitRepository, file.oid);
  if (reply.raw.destroyed) blob.destroy();
  return reply.send(range ? Readable.from(partOf(blob, range)) : blob);
}

async function readAll(gitRepository: GitRepository, { oid }: SiteFile): Promise<Buffer> {
  await using reader = await openObjects(gitRepository, { isBulk: true });
  return (await reader.get(oid, { type: 'blob' })).data;
}

/** A part of another file than the one that the client has the beginning of would be of no use: then it gets the whole. */
function isRangeWanted({ method, headers }: FastifyRequest, etag: string): boolean {
  const condition = headers['if-range'];
  return method === 'GET' && (condition === undefined || condition === etag);
}

/** The bytes from `start` to `end` of a stream, which ends there. */
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

/** Sends a page of the server's own. */
export const sendPage = (reply: FastifyReply, page: { title: string; html: string }): FastifyReply =>
  reply
    .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
    .type('text/html; charset=utf-8')
    .send(textOf(page));

/** The answer for what isn't there, and for what may not be seen. */
export const sendNothing = (reply: FastifyReply): FastifyReply =>
  sendPage(reply.code(404), { title: 'Not found', html: '<h1>404</h1>\n<p>There is nothing at this address.</p>' });
