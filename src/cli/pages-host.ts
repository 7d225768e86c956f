import type { Config } from './settings.ts';

type PagesConfig = Pick<Config, 'pagesPort' | 'pagesUrl' | 'url'>;

/**
 * Why repositories' websites can set cookies for the server itself; undefined if they can't. A cookie belongs to a host with all
 * its ports. A host can also set cookies for its parent and sibling hosts. Over HTTPS, the server protects itself against those
 * (`__Host-`).
 */
export function cookieProblemOf({ pagesPort, pagesUrl, url }: PagesConfig): string | undefined {
  if (pagesPort === 'off' || url === undefined) return undefined;
  const { hostname: own, protocol } = new URL(url);
  const pages = pagesUrl?.hostname ?? own;
  const remedy = 'give them a host of their own by --pages-url';
  if (pages === own) return `Websites of repositories share the host ${own} with the server, and can set its cookies: ${remedy}`;
  if (protocol === 'http:' && shareDomain(pages, own))
    return (
      `Websites of repositories at ${pages} can set cookies for ${own}, which is reached over HTTP: use HTTPS, or ` +
      `${remedy} in another domain`
    );
  return undefined;
}

/**
 * Whether two hosts may be in one domain. Public suffixes such as `co.uk` aren't known here: two labels in common count as a
 * domain.
 */
function shareDomain(one: string, other: string): boolean {
  const domainOf = (host: string): string => host.split('.').slice(-2).join('.');
  return !/^[\d.]+$|:/.test(one) && domainOf(one) === domainOf(other);
}
