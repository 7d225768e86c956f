import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GitError } from '../errors.ts';
import type { GitRepository } from '../repo.ts';

/**
 * The attribute `export-subst` in a repository makes git expand formats in files, which can take unbounded memory. A Git folder's
 * attributes override a commit's attributes. So archives are made in a separate Git folder that disables `export-subst` and uses
 * the objects of the repository.
 */
const attributes = '* -export-subst\n';

const folderOf = (root: string): string => join(root, 'archives.git');

/** The environment in which git reads the objects of a repository and the attributes of the archive folder. */
export async function archiveEnvironment({ path, store, quarantine }: GitRepository): Promise<Record<string, string>> {
  const folder = folderOf(store.root);
  const installed = await readFile(join(folder, 'info', 'attributes'), 'utf8').catch(() => undefined);
  if (installed !== attributes)
    throw new GitError('failed', 'Archives cannot be made: their folder in the data folder is incomplete');
  return { GIT_DIR: folder, GIT_OBJECT_DIRECTORY: quarantine?.objects ?? join(path, 'objects') };
}

/** Creates the archive folder. Several processes may do so concurrently. */
export async function installAttributes(root: string): Promise<void> {
  const folder = folderOf(root);
  for (const [name, text] of Object.entries({ 'info/attributes': attributes, HEAD: 'ref: refs/heads/main\n' })) {
    const file = join(folder, name);
    if ((await readFile(file, 'utf8').catch(() => undefined)) === text) continue;
    for (const inner of ['info', 'refs', 'objects']) await mkdir(join(folder, inner), { recursive: true });
    const draft = `${file}.${process.pid}`;
    await writeFile(draft, text);
    await rename(draft, file);
  }
}
