import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { newToken } from '#lib/token.ts';

const compress = promisify(gzip);

/** Shorter pages fit into one packet. */
const shortPage = 1_400;

/** A value for the one style element of a page, which nobody can guess. */
export const newNonce = (): string => newToken('').slice(0, 24);

/**
 * The content security policy of pages: no scripts and styles but those of this server, no frames, and forms that go nowhere
 * else. `style-src` allows one element with colours that are data.
 */
const policyOf = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

type PageReply = { readonly status: number; readonly html: string; readonly nonce: string };

/** Sends a page. It is never stored by others, and asked for again each time, since access may have changed. */
export async function sendHtml(
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { status, html, nonce }: PageReply,
): Promise<FastifyReply> {
  reply
    .code(status)
    .type('text/html; charset=utf-8')
    .header('content-security-policy', policyOf(nonce))
    .header('cross-origin-opener-policy', 'same-origin')
    .header('cache-control', 'private, no-cache')
    .header('vary', 'Accept, Accept-Encoding, Cookie');
  const bytes = Buffer.from(html);
  if (bytes.length < shortPage || !acceptsGzip(request)) return reply.send(bytes);
  return reply.header('content-encoding', 'gzip').send(await compress(bytes, { level: 4 }));
}

/** Whether the client takes gzip. */
const acceptsGzip = ({ headers }: FastifyRequest): boolean => accepts(headers['accept-encoding'], 'gzip');

export const accepts = (given: string | string[] | undefined, encoding: string): boolean =>
  String(given ?? '')
    .split(',')
    .some((part) => {
      const [name = '', quality = ''] = part.split(';').map((word) => word.trim());
      return name.toLowerCase() === encoding && !/^q=0(\.0*)?$/.test(quality);
    });
