import { cp, lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FolderTools } from '#runner-providers/machines/content.ts';

/** Handles the folders of runners by Node alone. */
export const folderTools: FolderTools = {
  copy: (from, to) => cp(from, to, { recursive: true, verbatimSymlinks: true, force: true }),
  remove: (folder) => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  async sizeOf(folder) {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    const sizes = await Promise.all(files.map(async (file) => (await lstat(join(file.parentPath, file.name))).size));
    return sizes.reduce((sum, size) => sum + size, 0);
  },
};
