import { posix } from 'node:path';
import { path as pathOf } from '#endpoint/links.ts';
import type { TreeMode } from '#git/objects/parse-tree.ts';
import type { ListedEntry } from '#git/objects/tree-list.ts';
import { contentsUrl, fileLinks, objectUrl, type RepositoryUrls } from '#resources/code/commits/index.ts';
import { base64Lines } from '#resources/code/git-data/index.ts';
import type { Entry, ResolvedCommit } from './entries.ts';
import type { ContentEntry, ContentFile, ContentFolder, ContentSubmodule, ContentSymlink } from './schemas.ts';
import { type Submodules, submoduleLinks } from './submodules.ts';

const types = {
  '100644': 'file',
  '100755': 'file',
  '120000': 'symlink',
  '040000': 'dir',
  '160000': 'submodule',
} as const satisfies Record<TreeMode, ContentEntry['type']>;

/** The address of a file's raw bytes. */
const downloadUrl = ({ url }: RepositoryUrls, ref: string, file: string): string =>
  `${pathOf(`${url}/raw`, ...file.split('/'))}?ref=${encodeURIComponent(ref)}`;

/**
 * The common fields of all kinds of entries. The addresses of a submodule are those of its commit, which is in another
 * repository.
 */
function common(urls: RepositoryUrls, { ref }: ResolvedCommit, { path, mode, oid, size }: Entry, submodules?: Submodules) {
  const type = types[mode];
  const url = contentsUrl(urls, ref, path);
  const { html_url: blob, tree_url: tree } = fileLinks(urls, ref, path);
  const { git, html } =
    type === 'submodule'
      ? submoduleLinks(urls, submodules?.get(path), oid)
      : { git: objectUrl(urls, oid, type === 'dir' ? 'tree' : 'blob'), html: type === 'dir' ? tree : blob };
  return {
    name: posix.basename(path),
    path,
    sha: oid,
    size,
    url,
    html_url: html,
    git_url: git,
    download_url: type === 'file' || type === 'symlink' ? downloadUrl(urls, ref, path) : null,
    _links: { self: url, git, html },
  };
}

export const presentEntry = (
  urls: RepositoryUrls,
  resolved: ResolvedCommit,
  entry: Entry,
  submodules?: Submodules,
): ContentEntry => ({
  type: types[entry.mode],
  ...common(urls, resolved, entry, submodules),
});

/** A folder's listing. As in the public API, it shows a submodule as a file, for old clients. */
export const presentListing = (
  urls: RepositoryUrls,
  resolved: ResolvedCommit,
  entries: readonly ListedEntry[],
  submodules: Submodules,
): ContentEntry[] =>
  entries.map((entry) => {
    const presented = presentEntry(urls, resolved, { ...entry, size: entry.size ?? 0 }, submodules);
    return presented.type === 'submodule' ? { ...presented, type: 'file' } : presented;
  });

export const presentFolder = (
  urls: RepositoryUrls,
  resolved: ResolvedCommit,
  folder: Entry,
  entries: readonly ListedEntry[],
  submodules: Submodules,
): ContentFolder => ({
  ...common(urls, resolved, folder),
  type: 'dir',
  entries: presentListing(urls, resolved, entries, submodules),
});

/** A file. The content is omitted if it is too large for JSON. */
export const presentFile = (
  urls: RepositoryUrls,
  resolved: ResolvedCommit,
  file: Entry,
  data: Buffer | undefined,
): ContentFile => ({
  type: 'file',
  encoding: data ? 'base64' : 'none',
  ...common(urls, resolved, file),
  content: data ? base64Lines(data) : '',
});

export const presentSymlink = (urls: RepositoryUrls, resolved: ResolvedCommit, link: Entry, target: string): ContentSymlink => ({
  type: 'symlink',
  target,
  ...common(urls, resolved, link),
});

export const presentSubmodule = (
  urls: RepositoryUrls,
  resolved: ResolvedCommit,
  entry: Entry,
  submodules: Submodules,
): ContentSubmodule => ({
  type: 'submodule',
  submodule_git_url: submodules.get(entry.path) ?? '',
  ...common(urls, resolved, entry, submodules),
});
