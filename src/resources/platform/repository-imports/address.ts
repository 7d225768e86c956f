import { isIP } from 'node:net';
import { badRequest } from '#lib/refusal.ts';
import { parseTarget } from '#net/target.ts';

/** The web address of a repository on another server, in its parts. */
export type SourceAddress = { origin: string; host: string; owner: string; name: string };

/** Reads `https://git.example.com/acme/engine`, with or without `.git`. @throws Refusal for other forms */
export function readAddress(text: string): SourceAddress {
  const url = parseTarget(text);
  const [, owner, name] = /^\/([^/]+)\/([^/]+?)(?:\.git)?\/?$/.exec(url?.pathname ?? '') ?? [];
  if (!url || owner === undefined || name === undefined)
    throw badRequest('The address of a repository is of the form https://git.example.com/owner/name, without a password');
  return { origin: url.origin, host: url.host, owner: decodeURIComponent(owner), name: decodeURIComponent(name) };
}

/** Where a server's API may be: below its own address, as Hearth's is, or on a host of its own. */
export function possibleApis({ origin }: Pick<SourceAddress, 'origin'>): string[] {
  const { protocol, host, hostname } = new URL(origin);
  const hasOwnHost = hostname.includes('.') && isIP(hostname) === 0;
  return [`${origin}/api/v3`, ...(hasOwnHost ? [`${protocol}//api.${host}`] : [])];
}
