import type { FastifyRequest } from 'fastify';
import { badRequest } from '#lib/refusal.ts';

const authority = /^(\[[\da-f:.]+\]|[\w.-]+)(:\d{1,5})?$/i;

/** The last valid host, since nearly all requests have the same host. */
let lastValid: string | undefined;

function isAuthority(text: string): boolean {
  if (text === lastValid) return true;
  const isValid = authority.test(text) && URL.canParse(`http://${text}`);
  if (isValid) lastValid = text;
  return isValid;
}

/**
 * Checks the host and protocol of a request (from its `Host` header, or from a trusted proxy), since links in the reply contain
 * them. For HTTP/1.0 requests without a host, it sets the socket's host.
 * @throws Refusal `bad_request` if the host isn't valid
 */
export function checkAddress(request: FastifyRequest): void {
  const { headers, socket } = request.raw;
  if (!headers.host) headers.host = addressOf(socket.localAddress, socket.localPort);
  if (!/^https?$/.test(request.protocol ?? '')) throw badRequest('X-Forwarded-Proto must be http or https');
  const { host } = request;
  if (!isAuthority(host) || (host.startsWith('api.') && !isAuthority(host.slice('api.'.length))))
    throw badRequest('The Host header (or X-Forwarded-Host of a proxy) must be a name or an address, with or without a port');
}

function addressOf(address = 'localhost', port: number | undefined): string {
  const host = address.includes(':') ? `[${address.replace(/%.*$/, '')}]` : address;
  return port === undefined ? host : `${host}:${port}`;
}
