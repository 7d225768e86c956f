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
  /** The configured address of the server itself, at which readers of websites sign in. Undefined: they can't be led there. */
  readonly server?: string | undefined;
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

/** Whether each website that not everybody may see has a host for itself. */
export const hasPrivateHosts = ({ origin, server }: PagesAddress): boolean =>
  origin?.hasSubdomains === true && server !== undefined;

const privateLabel = /^private--[\da-f]{32}$/;

/** The label of the host of such a website. No owner's host has one, since no login has two hyphens in a row. */
export const isPrivateLabel = (label: string): boolean => privateLabel.test(label);

/** The one label before the host of websites, where they are below it. */
export function labelOf(origin: PagesOrigin | undefined, hostname: string): string | undefined {
  if (!origin?.hasSubdomains || !hostname.endsWith(`.${origin.hostname}`)) return undefined;
  const label = hostname.slice(0, -origin.hostname.length - 1);
  return label.includes('.') ? undefined : label;
}

/** A website, as far as its address needs it. */
export type NamedSite = NamedRepository & {
  /** Its own domain, if it has one. */
  readonly domain?: string | null | undefined;
  readonly https_enforced: boolean;
  /** The label of the host that it has for itself. Null: everybody may see it, and it is among those of its owner. */
  readonly label?: string | null | undefined;
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

/** The host of a website that has no domain. */
export function siteHost(
  { hostname, hasSubdomains }: PagesOrigin,
  pages: PagesAddress,
  { owner, label }: Pick<NamedSite, 'owner' | 'label'>,
) {
  if (label != null && hasPrivateHosts(pages)) return `${label}.${hostname}`;
  return hasSubdomains ? `${owner.login.toLowerCase()}.${hostname}` : hostname;
}

/** The address of a website, with a slash at its end. One that not everybody may see demands HTTPS where websites have it. */
export function siteUrl(origin: PagesOrigin, pages: PagesAddress, site: NamedSite): string {
  const { owner, name, domain, https_enforced, label = null } = site;
  const isSecure = https_enforced || (label !== null && isHttps(pages));
  if (domain != null) return `${domainOrigin(pages, domain, { isSecure })}/`;
  const root = `${origin.protocol}//${siteHost(origin, pages, site)}${origin.port}`;
  if (label !== null && hasPrivateHosts(pages)) return `${root}/`;
  const folder = ownerSiteNames(owner.login, pages).includes(name.toLowerCase()) ? [] : [name];
  return `${path(root, ...(origin.hasSubdomains ? [] : [owner.login]), ...folder)}/`;
}
