import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GitError } from '../errors.ts';
import type { Repo } from '../repo.ts';

/**
 * Repositories' attributes can have git write things into files (`export-subst`), by formats that take memory without bound. The
 * attributes of a Git folder have precedence over those in a commit. So archives are made in a folder of their own, which switches
 * that off, from the objects of the repository.
 */
const attributes = '* -export-subst\n';

const folderOf = (root: string): string => join(root, 'archives.git');

/** The variables by which git reads the objects of a repository, and the attributes of Hearth's own folder. */
export async function plainAttributes({ path, store, quarantine }: Repo): Promise<Record<string, string>> {
  const folder = folderOf(store.root);
  const found = await readFile(join(folder, 'info', 'attributes'), 'utf8').catch(() => undefined);
  if (found !== attributes)
    throw new GitError('failed', 'Archives cannot be made: their folder in the data folder is incomplete');
  return { GIT_DIR: folder, GIT_OBJECT_DIRECTORY: quarantine?.objects ?? join(path, 'objects') };
}

/** Makes the folder in which archives are made. Several processes may do so at once. */
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
