/** The addresses of this server, from which every URL of a reply is made. No trailing slashes. */
export type Links = {
  /** The root of the API, for example `http://127.0.0.1:3000/api/v3`. */
  readonly api: string;
  /** The root for browsers and Git, for example `http://127.0.0.1:3000`. */
  readonly html: string;
};

/** The addresses of a server whose root is `url`. */
export const linksOf = (url: string): Links => {
  const html = url.replace(/\/+$/, '');
  return { html, api: `${html}/api/v3` };
};

/**
 * A URL with path segments escaped, slashes of `rest` kept.
 * @example path('http://h/api/v3/repos', 'ada', 'a b') // http://h/api/v3/repos/ada/a%20b
 */
export const path = (base: string, ...segments: (string | number)[]): string =>
  [base, ...segments.map((segment) => encodeURIComponent(segment).replaceAll('%2F', '/'))].join('/');

/** A repository, as far as addresses in it need it. */
export type NamedRepository = { name: string; owner: { login: string } };

/** The address of a repository in the API. */
export const repositoryUrl = (links: Links, { owner, name }: NamedRepository): string =>
  path(`${links.api}/repos`, owner.login, name);
