import type { Config } from './settings.ts';

type PagesConfig = Pick<Config, 'pagesPort' | 'pagesUrl' | 'url' | 'host'>;

/**
 * Whether repositories' websites would have the host name of the server itself. Websites are off then: a cookie belongs to a host
 * with all its ports, so a website could set the cookie of a session.
 */
export function sharesHost({ pagesPort, pagesUrl, url, host }: PagesConfig): boolean {
  if (pagesPort === 'off') return false;
  return pagesUrl === undefined || pagesUrl.hostname === (url === undefined ? host : new URL(url).hostname);
}

/**
 * Why repositories' websites are off, or how they can set cookies for the server itself; undefined if they can't. A host can also
 * set cookies for its parent and sibling hosts. Over HTTPS, the server protects itself against those (`__Host-`).
 */
export function cookieProblemOf(config: PagesConfig): string | undefined {
  const { pagesPort, pagesUrl, url } = config;
  if (pagesPort === 'off') return undefined;
  const remedy = 'give them a host of their own by --pages-url';
  if (sharesHost(config))
    return `Websites of repositories are off, since they would share the server's host, and could set its cookies: ${remedy}`;
  if (url === undefined || pagesUrl === undefined) return undefined;
  const { hostname: own, protocol } = new URL(url);
  if (protocol === 'http:' && shareDomain(pagesUrl.hostname, own))
    return (
      `Websites of repositories at ${pagesUrl.hostname} can set cookies for ${own}, which is reached over HTTP: use HTTPS, or ` +
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

/** What the log says where passwords and sessions cross a network in plain text; undefined where they don't. */
export function plainHttpProblemOf({ url, host, tlsCert }: Pick<Config, 'url' | 'host' | 'tlsCert'>): string | undefined {
  const isPlain = url === undefined ? tlsCert === undefined : url.startsWith('http:');
  const reached = url === undefined ? host : new URL(url).hostname;
  if (!isPlain || isLoopback(reached)) return undefined;
  return (
    `Passwords and sessions reach ${reached} over plain HTTP, where others can read them: use HTTPS by --tls-cert, or by a ` +
    'proxy whose address --url names'
  );
}

const isLoopback = (host: string): boolean => /^(?:127(?:\.\d+){3}|\[?::1\]?|(?:.+\.)?localhost)$/.test(host);
