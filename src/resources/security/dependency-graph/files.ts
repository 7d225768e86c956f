// The files of a commit that declare dependencies.

import { openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import { type ListedEntry, readPartOfTree } from '#git/objects/tree-list.ts';
import type { GitRepository } from '#git/repo.ts';
import type { Caller } from '#lib/caller.ts';
import { fixedValue } from '#lib/limits.ts';
import { ThreadEnded, threadFunctions } from '#lib/worker-threads/thread-functions.ts';
import { dependencyLimits } from './limits.ts';
import type { ManifestContent } from './manifests.ts';

/** The parsers are loaded for the first repository, since most servers start without needing them. */
const loadManifests = () => import('./manifests.ts');

const { fileSize, fileTime, entries: maxEntries, files: maxFiles } = dependencyLimits;
const parsers = threadFunctions<typeof import('./manifests.ts')>(
  new URL('./manifests.ts', import.meta.url),
  fixedValue(fileTime),
);

/** The files of a commit that declare dependencies, up to a limit. */
export async function listManifestFiles(gitRepository: GitRepository, commit: Oid): Promise<ListedEntry[]> {
  const { isManifest, withoutSuperseded } = await loadManifests();
  const found: ListedEntry[] = [];
  for await (const batch of readPartOfTree(gitRepository, commit, { recursive: true, limit: fixedValue(maxEntries) }))
    for (const entry of batch)
      if (entry.mode.startsWith('100') && entry.path.length <= maxPath && isManifest(entry.path)) found.push(entry);
  // Files of upper folders come first.
  const depth = ({ path }: ListedEntry) => path.split('/').length;
  return withoutSuperseded(found.sort((one, other) => depth(one) - depth(other))).slice(0, fixedValue(maxFiles));
}

const maxPath = 1_000;

export type ReadFile = ListedEntry & ManifestContent;

type Reading = {
  /** The remaining number of dependencies. */
  readonly room: number;
  /** The remaining number of bytes. */
  readonly bytes: number;
  readonly caller: Caller;
};

/** Reads such files. */
export async function readFiles(
  gitRepository: GitRepository,
  files: readonly ListedEntry[],
  { room, bytes, caller }: Reading,
): Promise<ReadFile[]> {
  const read: ReadFile[] = [];
  let left = room;
  let bytesLeft = bytes;
  await using reader = await openObjects(gitRepository, { isBulk: true });
  let at = 0;
  for await (const result of reader.readMany(
    files.map(({ oid }) => oid),
    { maxSize: fixedValue(fileSize) },
  )) {
    const file = files[at++];
    if (!file) break;
    bytesLeft -= 'object' in result ? result.object.data.length : 0;
    const content =
      'object' in result && bytesLeft >= 0
        ? await readContent(file.path, result.object.data, caller)
        : { dependencies: [], problem: 'is too large' };
    const fits = content.dependencies.length <= left;
    left -= fits ? content.dependencies.length : 0;
    read.push({ ...file, ...(fits ? content : { dependencies: [], problem: 'is left out: there are too many dependencies' }) });
  }
  return read;
}

async function readContent(path: string, content: Uint8Array, caller: Caller): Promise<ManifestContent> {
  try {
    return await parsers.call('readManifest', { path, content }, { caller });
  } catch (error) {
    if (error instanceof ThreadEnded) return { dependencies: [], problem: 'takes too long to read' };
    throw error;
  }
}
