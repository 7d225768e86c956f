import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { chunks } from '#lib/collections.ts';
import { reasonOf } from './diagnosis.ts';

const batchSize = 64;

/**
 * The first file or folder that another user owns; undefined if all belong to the given user. Only the given folders below `root`
 * are read.
 */
export async function problemOfOwners(root: string, folders: readonly string[], owner: number): Promise<string | undefined> {
  for (const folder of folders) {
    const path = join(root, folder);
    try {
      const names = await readdir(path);
      for (const some of chunks([...(folder === '' ? [''] : []), ...names], batchSize)) {
        const owners = await Promise.all(some.map((name) => ownerOf(join(path, name))));
        const at = owners.findIndex((uid) => uid !== undefined && uid !== owner);
        if (at >= 0)
          return (
            `${nameOf(join(folder, some[at] ?? ''))} belongs to user ${owners[at]}, and not to user ${owner} as the ` +
            'folder of all repositories'
          );
      }
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === 'ENOENT' || code === 'ENOTDIR') continue;
      return `${nameOf(folder)} can't be read (${reasonOf(error)})`;
    }
  }
  return undefined;
}

const nameOf = (path: string): string => (path === '.' || path === '' ? 'its folder' : path);

/** The owner of a file; undefined if the file no longer exists. */
async function ownerOf(path: string): Promise<number | undefined> {
  try {
    return (await lstat(path)).uid;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
