// Sends what people upload from the addresses of pages. Browsers never run it.
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ByteAddress } from '#console/byte-addresses.ts';
import type { PageRequest } from '#console/page.ts';
import { wordsOf } from '#endpoint/path-words.ts';
import { isNotModified } from '#server/conditional.ts';
import { type RunContext, runRaw } from '#server/run.ts';

/** Nothing that is served with it can run scripts, load anything, or act as a page of this server. */
const policy = "default-src 'none'; sandbox";

/** Runs the endpoint of an address with bytes, and sends what it replies with. */
export async function sendBytes(
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  address: ByteAddress,
  { pageRequest, context }: { pageRequest: PageRequest; context: RunContext },
): Promise<FastifyReply> {
  const { endpoint, words: own = {} } = address.reads(pageRequest);
  const given: Readonly<Record<string, string | number | undefined>> = { ...pageRequest.words, ...own };
  const words = Object.fromEntries(wordsOf(endpoint.path).map((word) => [word, String(given[word] ?? '')]));
  const { status, headers, body } = await runRaw(endpoint, context, words);
  if (headers.location !== undefined) return reply.redirect(headers.location, status);
  reply
    .headers(headers)
    .header('content-security-policy', policy)
    .header('x-content-type-options', 'nosniff')
    .header('cross-origin-resource-policy', 'same-origin')
    .header('cache-control', 'private, no-cache')
    .header('vary', 'Cookie, Accept-Encoding');
  const { etag } = headers;
  if (etag === undefined || !isNotModified(request.headers, { etag, lastModified: undefined }))
    return reply.code(status).send(body);
  if (body instanceof Readable) body.destroy();
  return reply.code(304).send();
}
