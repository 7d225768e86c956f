import { trimEndOf } from '#lib/trim.ts';
/** The addresses of this server, from which all URLs of a reply are made. They have no trailing slashes. */
export type Links = {
  /** The root of the API, for example `http://127.0.0.1:3000/api/v3`. */
  readonly api: string;
  /** The root for browsers and Git, for example `http://127.0.0.1:3000`. */
  readonly html: string;
  /** The address of Git over SSH, if it is enabled. */
  readonly ssh?: SshAddress | undefined;
};

/** The public SSH address. Without a host, it is the web host. */
export type SshAddress = { readonly host?: string | undefined; readonly port: number };

/** The addresses of a server whose root is `url`. */
export const linksOf = (url: string, ssh?: SshAddress): Links => {
  const html = trimEndOf(url, '/');
  return { html, api: `${html}/api/v3`, ssh };
};

/** The address of a repository for Git over SSH. The default port allows the short form, which has none. */
export function sshUrl({ html, ssh }: Links, { owner, name }: NamedRepository): string {
  const { hostname } = new URL(html);
  const { host = hostname, port } = ssh ?? { port: usualSshPort };
  const path = `${owner.login}/${name}.git`;
  return port === usualSshPort ? `git@${host}:${path}` : `ssh://git@${host}:${port}/${path}`;
}

const usualSshPort = 22;

/**
 * A URL with escaped path segments. Slashes of `rest` are kept.
 * @example path('http://h/api/v3/repos', 'ada', 'a b') // http://h/api/v3/repos/ada/a%20b
 */
export function path(base: string, ...segments: (string | number)[]): string {
  let url = base;
  for (const segment of segments) url += `/${typeof segment === 'number' ? segment : escaped(segment)}`;
  return url;
}

/** Most segments are plain, and pages have hundreds of them. */
const escaped = (segment: string): string =>
  /^[\w.~-]*$/.test(segment) ? segment : encodeURIComponent(segment).replaceAll('%2F', '/');

/** The fields of a repository that its addresses need. */
export type NamedRepository = { name: string; owner: { login: string } };

/** The address of a repository in the API. */
export const repositoryUrl = perObject((links: Links, { owner, name }: NamedRepository): string =>
  path(`${links.api}/repos`, owner.login, name),
);

/**
 * Caches the result of `present` for an object as long as the object lives. A page shows the same account and repository many
 * times, and unchanged account rows live longer than a request (decision 22). Neither the object nor the result may change.
 */
export function perObject<Row extends object, Result>(
  present: (links: Links, row: Row) => Result,
): (links: Links, row: Row) => Result {
  const made = new WeakMap<Row, { readonly links: Links; readonly result: Result }>();
  return (links, row) => {
    const known = made.get(row);
    if (known && known.links.api === links.api && known.links.html === links.html) return known.result;
    const result = present(links, row);
    made.set(row, { links, result });
    return result;
  };
}
