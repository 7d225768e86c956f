import { isIP } from 'node:net';
import type { AddressCheck } from './ranges.ts';

/** Why nothing was sent, or no reply came. The owner of a hook reads the message. */
export class OutboundError extends Error {
  readonly kind: 'refused_address' | 'unresolved' | 'timeout' | 'connection' | 'invalid_url';

  constructor(kind: OutboundError['kind'], message: string) {
    super(message);
    this.name = 'OutboundError';
    this.kind = kind;
  }
}

/** Looks up the addresses of a name. */
export type Resolver = (hostname: string) => Promise<readonly string[]>;

/** Reads a URL for a request: http or https, with a host and without a user or password; undefined for others. */
export function parseTarget(text: string): URL | undefined {
  const url = URL.parse(text);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
  return url.username === '' && url.password === '' && url.hostname !== '' ? url : undefined;
}

/** The host as an address or a name. The URL parser has already turned forms like `0x7f.1`, `2130706433` and `①②⑦.0.0.1` into dotted ones. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1');

/** Whether a URL can be refused without a look-up: its host is a closed address, or a name of this machine. */
export function isClosed(url: URL, isOpen: AddressCheck): boolean {
  const host = hostOf(url);
  if (isIP(host)) return !isOpen(host);
  return /(^|\.)localhost\.?$/i.test(host) && !isOpen('127.0.0.1');
}

/**
 * The addresses of a URL, all checked. A name with one closed address among its addresses is refused, since whoever controls the
 * name could choose which of them is used.
 */
export async function checkedAddresses(url: URL, isOpen: AddressCheck, resolve: Resolver): Promise<readonly string[]> {
  const host = hostOf(url);
  const addresses = isIP(host) ? [host] : await resolved(host, resolve);
  if (!addresses.every(isOpen)) throw new OutboundError('refused_address', `${host} leads to an address that is not allowed`);
  return addresses;
}

async function resolved(host: string, resolve: Resolver): Promise<readonly string[]> {
  let addresses: readonly string[];
  try {
    addresses = await resolve(host);
  } catch {
    throw new OutboundError('unresolved', `${host} could not be resolved`);
  }
  if (addresses.length === 0) throw new OutboundError('unresolved', `${host} could not be resolved`);
  return addresses;
}
