// The addresses of repositories' websites. They have a separate origin: published content must not be able to act in the API or
// the sign-in pages on behalf of its readers.
import { type Links, type NamedRepository, path } from './links.ts';

/** A configured origin for websites. */
export type PagesOrigin = {
  readonly protocol: 'http:' | 'https:';
  readonly hostname: string;
  /** With a leading colon; empty for the default port. */
  readonly port: string;
  /**
   * Whether each owner has a subdomain, such as `ada.pages.example.com`. Otherwise each has a folder, such as
   * `pages.example.com/ada/`.
   */
  readonly hasSubdomains: boolean;
};

/** The address of websites. */
export type PagesAddress = {
  /** Undefined: any host of the request, with the port that the process listens on. */
  readonly origin?: PagesOrigin | undefined;
  /** The port that the process listens on. */
  readonly port: number;
  /** Whether that port uses TLS. */
  readonly isSecure: boolean;
  /** The configured address of the server itself, where readers of websites sign in. Undefined: they can't be sent there. */
  readonly server?: string | undefined;
};

/**
 * Parses a configured address.
 * @example parsePagesOrigin('https://*.pages.example.com') // each owner has a subdomain
 * @throws Error that lists the allowed forms
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

/** Whether websites are served over HTTPS. */
export const isHttps = ({ origin, isSecure }: PagesAddress): boolean => (origin ? origin.protocol === 'https:' : isSecure);

/** The origin of websites for a reply with these links. */
export function originFor({ html }: Pick<Links, 'html'>, { origin, port, isSecure }: PagesAddress): PagesOrigin {
  if (origin) return origin;
  const protocol = isSecure ? 'https:' : 'http:';
  return { protocol, hostname: new URL(html).hostname, port: `:${port}`, hasSubdomains: false };
}

/** Whether each website with restricted access has its own host. */
export const hasPrivateHosts = ({ origin, server }: PagesAddress): boolean =>
  origin?.hasSubdomains === true && server !== undefined;

const privateLabel = /^private--[\da-f]{32}$/;

/** The host label of a restricted website. No owner's host has such a label, since no login has two hyphens in a row. */
export const isPrivateLabel = (label: string): boolean => privateLabel.test(label);

/** The single label before the host of websites, if they are subdomains. */
export function labelOf(origin: PagesOrigin | undefined, hostname: string): string | undefined {
  if (!origin?.hasSubdomains || !hostname.endsWith(`.${origin.hostname}`)) return undefined;
  const label = hostname.slice(0, -origin.hostname.length - 1);
  return label.includes('.') ? undefined : label;
}

/** The fields of a website that its address needs. */
export type NamedSite = NamedRepository & {
  /** Its own domain, if it has one. */
  readonly domain?: string | null | undefined;
  readonly https_enforced: boolean;
  /** The label of the website's own host. Null: everybody may see it, and it is on its owner's host. */
  readonly label?: string | null | undefined;
};

/** The names of a repository that holds its owner's website: `OWNER.pages`, or `OWNER.HOST` with the configured host. */
export const ownerSiteNames = (login: string, { origin }: Pick<PagesAddress, 'origin'>): string[] =>
  [...new Set(['pages', ...(origin ? [origin.hostname] : [])])].map((suffix) => `${login}.${suffix}`.toLowerCase());

/**
 * The origin of a custom domain. It is served in the same way as other websites: by the proxy in front of them, over either
 * protocol, or at the port that the process listens on, with that port's protocol.
 */
export function domainOrigin(pages: PagesAddress, domain: string, { isSecure }: { isSecure: boolean }): string {
  const { origin, port } = pages;
  if (!origin) return `${pages.isSecure ? 'https:' : 'http:'}//${domain}:${port}`;
  const protocol = isSecure ? 'https:' : 'http:';
  return `${protocol}//${domain}${protocol === origin.protocol ? origin.port : ''}`;
}

/** The host of a website without a custom domain. */
export function siteHost(
  { hostname, hasSubdomains }: PagesOrigin,
  pages: PagesAddress,
  { owner, label }: Pick<NamedSite, 'owner' | 'label'>,
) {
  if (label != null && hasPrivateHosts(pages)) return `${label}.${hostname}`;
  return hasSubdomains ? `${owner.login.toLowerCase()}.${hostname}` : hostname;
}

/** The address of a website, with a trailing slash. A restricted website requires HTTPS if websites have it. */
export function siteUrl(origin: PagesOrigin, pages: PagesAddress, site: NamedSite): string {
  const { owner, name, domain, https_enforced, label = null } = site;
  const isSecure = https_enforced || (label !== null && isHttps(pages));
  if (domain != null) return `${domainOrigin(pages, domain, { isSecure })}/`;
  const root = `${origin.protocol}//${siteHost(origin, pages, site)}${origin.port}`;
  if (label !== null && hasPrivateHosts(pages)) return `${root}/`;
  const folder = ownerSiteNames(owner.login, pages).includes(name.toLowerCase()) ? [] : [name];
  return `${path(root, ...(origin.hasSubdomains ? [] : [owner.login]), ...folder)}/`;
}
