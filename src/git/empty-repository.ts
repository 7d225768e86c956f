import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './process/run.ts';
import type { GitStore } from './repo.ts';

/** The result of `git init`, by path: the folders, outer ones first, and the files with their texts. */
export type EmptyRepository = { readonly folders: readonly string[]; readonly files: ReadonlyMap<string, string> };

/** A branch name that no repository has. The default branch replaces it. */
const placeholder = 'default-branch-of-an-empty-repository';

/** Runs `git init` without templates, and so without sample hooks and a description. It returns the result. */
export async function readEmptyRepository(store: GitStore): Promise<EmptyRepository> {
  const folder = await mkdtemp(join(store.root, 'tmp', 'empty-'));
  try {
    const options = ['--quiet', '--bare', '--template=', '--object-format=sha1', `--initial-branch=${placeholder}`];
    await run({ store }, ['init', ...options, folder]);
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const paths = entries.map((entry) => ({ isFolder: entry.isDirectory(), path: join(entry.parentPath, entry.name) }));
    const inside = (path: string) => path.slice(folder.length + 1);
    const files = paths.filter(({ isFolder }) => !isFolder);
    const texts = await Promise.all(files.map(async ({ path }) => [inside(path), await readFile(path, 'utf8')] as const));
    return { folders: paths.flatMap(({ isFolder, path }) => (isFolder ? inside(path) : [])).sort(), files: new Map(texts) };
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Writes an empty repository into a folder that doesn't exist yet, without starting a process. */
export async function writeEmptyRepository(
  path: string,
  { folders, files }: EmptyRepository,
  defaultBranch: string,
): Promise<void> {
  await mkdir(path);
  for (const folder of folders) await mkdir(join(path, folder));
  await Promise.all(
    [...files].map(([name, text]) =>
      writeFile(
        join(path, name),
        text.replace(placeholder, () => defaultBranch),
        { flush: true },
      ),
    ),
  );
}
