import { domainToASCII } from 'node:url';
import type { Links } from '#endpoint/links.ts';
import type { PagesAddress } from '#endpoint/pages-address.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import type { Services } from '#endpoint/services.ts';
import type { Id } from '#lib/id.ts';
import { putDomain } from './store.ts';

/** Forbidden domains: the hosts of this server, and hosts below the host of websites. */
export type OwnHosts = { readonly pages: PagesAddress | undefined; readonly hosts: readonly string[] };

/** The configured hosts of this server, and the host of the request, if any. */
export const ownHosts = ({ pages, url }: Pick<Services, 'pages' | 'url'>, links?: Pick<Links, 'html'>): OwnHosts => ({
  pages,
  hosts: [url, links?.html].flatMap((address) => (address === undefined ? [] : [new URL(address).hostname])),
});

const label = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/;

/**
 * The domain in a text, in lower case and in the form for DNS; or why a website can't have it.
 * @example domainOf('Bücher.example') // { domain: 'xn--bcher-kva.example' }
 */
function domainOf(text: string, own: OwnHosts): { domain: string } | { problem: string } {
  // The function accepts what a browser accepts as a host, which ends before a path.
  const domain = /[\s/?#:@\\]/.test(text.trim()) ? '' : domainToASCII(text.trim()).toLowerCase();
  const labels = domain.split('.');
  const last = labels.at(-1) ?? '';
  const isName = labels.length >= 2 && domain.length <= 253 && labels.every((part) => label.test(part)) && !/^\d+$/.test(last);
  if (!isName || last === 'localhost') return { problem: 'must be a domain, as www.example.com' };
  const pagesHost = own.pages?.origin?.hostname;
  const isOwn = own.hosts.includes(domain) || domain === pagesHost || (pagesHost && domain.endsWith(`.${pagesHost}`));
  return isOwn ? { problem: 'is an address of this server' } : { domain };
}

/** Gives a repository a domain. Returns the problem if the domain is invalid or belongs to another repository. */
export async function claimDomain(
  scope: WriteScope,
  repository: Id<'repositories'>,
  text: string,
  own: OwnHosts,
): Promise<{ domain: string } | { problem: string; isTaken?: true }> {
  const found = domainOf(text, own);
  if ('problem' in found) return found;
  return (await putDomain(scope.tx, repository, found.domain))
    ? found
    : { problem: 'belongs to another repository', isTaken: true };
}
