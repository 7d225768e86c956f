import { open } from 'node:fs/promises';

/** Syncs a folder to disk, so that the names of files that were moved into it are durable. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
