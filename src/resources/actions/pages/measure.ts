// The size of a website: the folder to serve, and whether it can be served.

import type { ObjectReader } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import { readTree } from '#git/objects/tree-list.ts';
import type { GitRepository } from '#git/repo.ts';
import type { LimitValues } from '#lib/limits.ts';
import type { pagesLimits } from './limits.ts';
import type { SiteRow } from './store.ts';

/** Why a website can't be built, as a message for its publishers. */
export class BuildError extends Error {}

/** The folder of a commit that a website is served from. @throws BuildError */
export async function findSiteFolder(reader: ObjectReader, commit: Oid, path: SiteRow['source_path']): Promise<Oid> {
  const folder = await reader.findFolder(commit, path.slice(1));
  if (!folder) throw new BuildError(path === '/' ? 'The commit is gone.' : `The branch has no folder ${path}.`);
  return folder.oid;
}

const megabytes = (bytes: number): string => `${Math.floor(bytes / 1024 / 1024)} MB`;

/** Counts the files of a website. The returned function takes each file's path and size. @throws BuildError beyond a limit */
export function siteMeasure(limits: LimitValues<typeof pagesLimits>): (path: string, size: number) => void {
  let files = 0;
  let bytes = 0;
  return (path, size) => {
    if (size > limits.file) throw new BuildError(`The file ${path} is larger than ${megabytes(limits.file)}.`);
    files++;
    bytes += size;
    if (files > limits.files) throw new BuildError(`The website has more than ${limits.files} files.`);
    if (bytes > limits.size) throw new BuildError(`The website is larger than ${megabytes(limits.size)}.`);
  };
}

/**
 * Measures the files of a folder. Links and submodules don't count, since they aren't served.
 * @throws BuildError beyond a limit
 */
export async function checkSize(gitRepository: GitRepository, tree: Oid, limits: LimitValues<typeof pagesLimits>): Promise<void> {
  const measure = siteMeasure(limits);
  for await (const entries of readTree(gitRepository, tree, { recursive: true }))
    for (const { path, mode, size = 0 } of entries) if (isFile({ mode })) measure(path, size);
}

/** What the root folder of a website defines: its domain, in the file `CNAME`, and whether it has a page for missing files. */
export async function readRoot(reader: ObjectReader, tree: Oid): Promise<{ cname: string | undefined; custom_404: boolean }> {
  const root = await reader.findInfo(tree);
  if (!root) throw new BuildError('The commit is gone.');
  const [cname, missing] = await Promise.all([reader.findChild(root, 'CNAME'), reader.findChild(root, '404.html')]);
  const text = cname && isFile(cname) ? (await reader.find(cname.oid, { maxSize: maxCname }))?.data.toString() : undefined;
  return {
    cname: text?.split('\n').find((line) => line.trim() !== ''),
    custom_404: missing !== undefined && isFile(missing),
  };
}

const maxCname = 64 * 1024;

/** Whether an entry is a file, and not a link to one. */
export const isFile = ({ mode }: { mode: string }): boolean => mode === '100644' || mode === '100755';
