import { isIP } from 'node:net';
import type { AddressCheck } from './ranges.ts';

/** Why a request wasn't sent or got no reply. The message is shown to the owner of the webhook. */
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

/** Parses the URL of a request: http or https, with a host and without a user or password; undefined for others. */
export function parseTarget(text: string): URL | undefined {
  const url = URL.parse(text);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
  return url.username === '' && url.password === '' && url.hostname !== '' ? url : undefined;
}

/** The host as an address or a name. The URL parser has already normalized forms like `0x7f.1`, `2130706433` and `①②⑦.0.0.1`. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1');

/** Whether a URL can be refused without DNS: its host is a blocked address or `localhost`. */
export function isBlocked(url: URL, isAllowed: AddressCheck): boolean {
  const host = hostOf(url);
  if (isIP(host)) return !isAllowed(host);
  return /(^|\.)localhost\.?$/i.test(host) && !isAllowed('127.0.0.1');
}

/**
 * The addresses of a URL, all of them allowed. A name with one blocked address is refused, since its owner could choose which
 * address is used.
 * @throws OutboundError `refused_address` or `unresolved`
 */
export async function checkedAddresses(url: URL, isAllowed: AddressCheck, resolve: Resolver): Promise<readonly string[]> {
  const host = hostOf(url);
  const addresses = isIP(host) ? [host] : await resolveHost(host, resolve);
  if (!addresses.every(isAllowed)) throw new OutboundError('refused_address', `${host} leads to an address that is not allowed`);
  return addresses;
}

async function resolveHost(host: string, resolve: Resolver): Promise<readonly string[]> {
  let addresses: readonly string[];
  try {
    addresses = await resolve(host);
  } catch {
    throw new OutboundError('unresolved', `${host} could not be resolved`);
  }
  if (addresses.length === 0) throw new OutboundError('unresolved', `${host} could not be resolved`);
  return addresses;
}
