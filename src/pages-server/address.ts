// Interprets the host and the path of a request.
import { isIP } from 'node:net';
import { isPrivateLabel, labelOf, type PagesOrigin } from '#endpoint/pages-address.ts';
import type { SiteAddress } from '#resources/actions/pages/index.ts';

/**
 * The decoded parts of a path. The last one is empty if the path ends with a slash. Undefined if a part can't be decoded, or
 * isn't a valid name of a file or folder. So a path can't lead out of a folder.
 * @example partsOf('/docs/a%20b?x=1') // ['docs', 'a b']
 */
export function partsOf(url: string): string[] | undefined {
  const [path = ''] = url.split(/[?#]/, 1);
  if (!path.startsWith('/')) return undefined;
  const encoded = path.slice(1).split('/');
  const parts: string[] = [];
  for (const [at, text] of encoded.entries()) {
    const part = decoded(text);
    if (part === undefined || part === '.' || part === '..' || /[/\0]/.test(part)) return undefined;
    if (part === '' && at < encoded.length - 1) return undefined;
    parts.push(part);
  }
  return parts;
}

function decoded(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** A candidate for the website of a request: its address, and the number of path parts for the owner's name. */
export type SiteCandidate = SiteAddress & { readonly ownerParts: 0 | 1 };

/**
 * The candidates for the website of a request. The first one with a website counts. Without a configured origin, any host serves
 * the websites of all owners in folders, and may also be a website's custom domain.
 */
export function siteCandidatesOf(origin: PagesOrigin | undefined, host: string, parts: readonly string[]): SiteCandidate[] {
  const hostname = host.toLowerCase().replace(/\.$/, '');
  const suffixes = ['pages', ...(origin ? [origin.hostname] : [])];
  const [owner = '', first = ''] = parts;
  const inFolder: SiteCandidate[] = owner === '' ? [] : [{ owner, first: first || undefined, suffixes, ownerParts: 1 }];
  const ofHost = { first: owner || undefined, suffixes, ownerParts: 0 } as const;
  if (origin && hostname === origin.hostname) return origin.hasSubdomains ? [] : inFolder;
  const label = labelOf(origin, hostname);
  if (label !== undefined)
    return isPrivateLabel(label) ? [{ label, first: undefined, suffixes, ownerParts: 0 }] : [{ ...ofHost, owner: label }];
  const isName = hostname.includes('.') && isIP(hostname.replace(/^\[(.*)\]$/, '$1')) === 0;
  return [...(isName ? [{ ...ofHost, domain: hostname }] : []), ...(origin ? [] : inFolder)];
}
