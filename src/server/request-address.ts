import type { FastifyRequest } from 'fastify';
import { badRequest } from '#lib/refusal.ts';

const authority = /^(\[[\da-f:.]+\]|[\w.-]+)(:\d{1,5})?$/i;

/** The last name that was found right: nearly all requests bring the same. */
let lastRight: string | undefined;

function isAuthority(text: string): boolean {
  if (text === lastRight) return true;
  const isRight = authority.test(text) && URL.canParse(`http://${text}`);
  if (isRight) lastRight = text;
  return isRight;
}

/**
 * Makes sure that the address under which a request came can stand in the addresses of its reply: that of its `Host` header, or what a
 * trusted proxy says. Clients of HTTP/1.0 name no host; they get the address that they reached.
 * @throws Refusal when it is no address.
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
