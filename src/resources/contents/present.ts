import { posix } from 'node:path';
import { path as pathOf } from '#endpoint/links.ts';
import type { TreeMode } from '#git/objects/parse-tree.ts';
import type { ListedEntry } from '#git/objects/tree-list.ts';
import { contentsUrl, fileLinks, objectUrl, type RepositoryUrls } from '#resources/commits/index.ts';
import { base64Lines } from '#resources/git-data/index.ts';
import type { At, Entry } from './entries.ts';
import type { ContentEntry, ContentFile, ContentFolder, ContentSubmodule, ContentSymlink } from './schemas.ts';

const types = {
  '100644': 'file',
  '100755': 'file',
  '120000': 'symlink',
  '040000': 'dir',
  '160000': 'submodule',
} as const satisfies Record<TreeMode, ContentEntry['type']>;

/** Where a file's bytes are served as they are. */
const downloadUrl = ({ url }: RepositoryUrls, ref: string, file: string): string =>
  `${pathOf(`${url}/raw`, ...file.split('/'))}?ref=${encodeURIComponent(ref)}`;

/** The fields that all kinds of entries have. A submodule has no addresses here, since its commit lies in another repository. */
function common(place: RepositoryUrls, { ref }: At, { path, mode, oid, size }: Entry) {
  const type = types[mode];
  const url = contentsUrl(place, ref, path);
  const git = type === 'submodule' ? null : objectUrl(place, oid, type === 'dir' ? 'tree' : 'blob');
  const { html_url: blob, tree_url: tree } = fileLinks(place, ref, path);
  const html = type === 'submodule' ? null : type === 'dir' ? tree : blob;
  return {
    name: posix.basename(path),
    path,
    sha: oid,
    size,
    url,
    html_url: html,
    git_url: git,
    download_url: type === 'file' || type === 'symlink' ? downloadUrl(place, ref, path) : null,
    _links: { self: url, git, html },
  };
}

export const presentEntry = (place: RepositoryUrls, at: At, entry: Entry): ContentEntry => ({
  type: types[entry.mode],
  ...common(place, at, entry),
});

/** A folder's listing, in which a submodule is called a file (as in the public API, for old clients). */
export const presentListing = (place: RepositoryUrls, at: At, entries: readonly ListedEntry[]): ContentEntry[] =>
  entries.map((entry) => {
    const presented = presentEntry(place, at, { ...entry, size: entry.size ?? 0 });
    return presented.type === 'submodule' ? { ...presented, type: 'file' } : presented;
  });

export const presentFolder = (place: RepositoryUrls, at: At, folder: Entry, entries: readonly ListedEntry[]): ContentFolder => ({
  ...common(place, at, folder),
  type: 'dir',
  entries: presentListing(place, at, entries),
});

/** A file. The content is left out where it is too large for JSON. */
export const presentFile = (place: RepositoryUrls, at: At, file: Entry, data: Buffer | undefined): ContentFile => ({
  type: 'file',
  encoding: data ? 'base64' : 'none',
  ...common(place, at, file),
  content: data ? base64Lines(data) : '',
});

export const presentSymlink = (place: RepositoryUrls, at: At, link: Entry, target: string): ContentSymlink => ({
  type: 'symlink',
  target,
  ...common(place, at, link),
});

export const presentSubmodule = (place: RepositoryUrls, at: At, entry: Entry, source: string): ContentSubmodule => ({
  type: 'submodule',
  submodule_git_url: source,
  ...common(place, at, entry),
});
