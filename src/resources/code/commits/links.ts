import { type Links, type NamedRepository, path, repositoryUrl } from '#endpoint/links.ts';
import type { ObjectType } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import type { Id } from '#lib/id.ts';

/** The addresses of a repository, which are prefixes of its objects' addresses. */
export type RepositoryUrls = { id: Id<'repositories'>; url: string; html: string; host: string };

export const repositoryUrlsOf = (links: Links, repository: NamedRepository & { id: Id<'repositories'> }): RepositoryUrls => ({
  id: repository.id,
  url: repositoryUrl(links, repository),
  html: path(links.html, repository.owner.login, repository.name),
  host: new URL(links.html).hostname,
});

/** A commit by its id and addresses. */
export const commitLink = ({ url, html }: RepositoryUrls, oid: Oid) => ({
  sha: oid,
  url: `${url}/commits/${oid}`,
  html_url: `${html}/commit/${oid}`,
});

/** Addresses of a file at a commit or a branch. */
export const fileLinks = ({ url, html }: RepositoryUrls, ref: string, file: string) => ({
  html_url: path(`${html}/blob`, ref, ...file.split('/')),
  tree_url: path(`${html}/tree`, ref, ...file.split('/')).replace(/\/$/, ''),
  raw_url: path(`${html}/raw`, ref, ...file.split('/')),
  contents_url: contentsUrl({ url }, ref, file),
});

/** The address of a file or folder in the API. */
export const contentsUrl = ({ url }: Pick<RepositoryUrls, 'url'>, ref: string, file: string): string =>
  `${file === '' ? `${url}/contents/` : path(`${url}/contents`, ...file.split('/'))}?ref=${encodeURIComponent(ref)}`;

/** The address of one of Git's objects. */
export const objectUrl = ({ url }: Pick<RepositoryUrls, 'url'>, oid: Oid, type: ObjectType): string =>
  `${url}/git/${type}s/${oid}`;
