// The addresses of websites of repositories. They have an origin of their own: what people publish must not be able to act in the
// API or the sign-in pages for those who look at it.
import { type Links, type NamedRepository, path } from './links.ts';

/** An origin that is configured for websites. */
export type PagesOrigin = {
  readonly protocol: 'http:' | 'https:';
  readonly hostname: string;
  /** With a colon before it; empty for the usual one. */
  readonly port: string;
  /** Whether each owner has a host below it, as `ada.pages.example.com`; otherwise a folder, as `pages.example.com/ada/`. */
  readonly hasSubdomains: boolean;
};

/** Where websites are served. */
export type PagesAddress = {
  /** Undefined: at any host of the request, and the port that the process listens on. */
  readonly origin?: PagesOrigin | undefined;
  /** The port that the process listens on. */
  readonly port: number;
  /** Whether it speaks TLS there. */
  readonly isSecure: boolean;
};

/**
 * Parses a configured address.
 * @example parsePagesOrigin('https://*.pages.example.com') // each owner has a host
 * @throws Error with what is allowed
 */
export function parsePagesOrigin(text: string): PagesOrigin {
  const [, scheme = '', star, rest = ''] = /^(https?:\/\/)(\*\.)?(.*)$/.exec(text) ?? [];
  const url = URL.parse(scheme + rest);
  const isOrigin =
    url && url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '' && !rest.includes('*');
  if (!isOrigin)
    throw new Error('must be an address without a path, as https://pages.example.com or https://*.pages.example.com');
  return {
    protocol: url.protocol === 'https:' ? 'https:' : 'http:',
    hostname: url.hostname,
    port: url.port === '' ? '' : `:${url.port}`,
    hasSubdomains: star !== undefined,
  };
}

/** Whether what is served there is reached by HTTPS. */
export const isHttps = ({ origin, isSecure }: PagesAddress): boolean => (origin ? origin.protocol === 'https:' : isSecure);

/** The origin for a reply whose other links are these. */
export function originFor({ html }: Pick<Links, 'html'>, { origin, port, isSecure }: PagesAddress): PagesOrigin {
  if (origin) return origin;
  const protocol = isSecure ? 'https:' : 'http:';
  return { protocol, hostname: new URL(html).hostname, port: `:${port}`, hasSubdomains: false };
}

/** A website, as far as its address needs it. */
export type NamedSite = NamedRepository & {
  /** Its own domain, if it has one. */
  readonly domain?: string | null | undefined;
  readonly https_enforced: boolean;
};

/**
 * The names of the repository whose website is that of its owner: `OWNER.pages`, or `OWNER.HOST` with the configured host.
 */
export const ownerSiteNames = (login: string, { origin }: Pick<PagesAddress, 'origin'>): string[] =>
  [...new Set(['pages', ...(origin ? [origin.hostname] : [])])].map((suffix) => `${login}.${suffix}`.toLowerCase());

/**
 * The origin of a domain, which is reached as websites are: by the proxy that speaks for them, over either protocol, or at the port that the
 * process listens on, over the one that it speaks.
 */
export function domainOrigin(pages: PagesAddress, domain: string, { isSecure }: { isSecure: boolean }): string {
  const { origin, port } = pages;
  if (!origin) return `${pages.isSecure ? 'https:' : 'http:'}//${domain}:${port}`;
  const protocol = isSecure ? 'https:' : 'http:';
  return `${protocol}//${domain}${protocol === origin.protocol ? origin.port : ''}`;
}

/** The address of a website, with a slash at its end. */
export function siteUrl(origin: PagesOrigin, pages: PagesAddress, site: NamedSite): string {
  const { owner, name, domain, https_enforced } = site;
  if (domain != null) return `${domainOrigin(pages, domain, { isSecure: https_enforced })}/`;
  const folder = ownerSiteNames(owner.login, pages).includes(name.toLowerCase()) ? [] : [name];
  const { protocol, hostname, port, hasSubdomains } = origin;
  const root = hasSubdomains
    ? `${protocol}//${owner.login.toLowerCase()}.${hostname}${port}`
    : path(`${protocol}//${hostname}${port}`, owner.login);
  return `${path(root, ...folder)}/`;
}
