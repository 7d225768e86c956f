import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { repositoryPath } from '#git/store.ts';
import { chunks } from '#lib/collections.ts';
import { counted } from '../command.ts';
import { type CheckContext, type Diagnosis, listRepositories, reasonOf, someOf } from './diagnosis.ts';
import { problemOfOwners } from './owners.ts';

const batchSize = 32;

/**
 * Checks that every repository has a usable folder, and lists folders without a repository.
 * @param owner the user who must own the files. Omitted: the owner of the folder of all repositories
 */
export async function folders({ db, hearth }: CheckContext, owner?: number): Promise<Diagnosis> {
  const { git } = hearth.services;
  // Folders are listed first, so that repositories that are created in the meantime have a row.
  const folderIds = await listFolders(git.root);
  const repositories = await listRepositories(db);
  const uid = owner ?? (await stat(git.root)).uid;
  const problems: string[] = [];
  for (const some of chunks(repositories, batchSize)) {
    const found = await Promise.all(some.map(({ id }) => problemOf(repositoryPath(git.root, id), uid)));
    for (const [at, problem] of found.entries()) if (problem) problems.push(`${some[at]?.name}: ${problem}`);
  }
  const known = new Set<number>(repositories.map(({ id }) => id));
  const extra = folderIds.filter((id) => !known.has(id));
  const detail = [counted(known.size, 'repository', 'repositories')];
  if (problems.length > 0) detail.push(someOf(problems, '; '));
  // They remain from a deletion in progress or an interrupted creation. They are harmless, since ids are never reused.
  if (extra.length > 0) detail.push(`folders without a repository: ${someOf(extra.map(String))}`);
  return { check: 'repositories', ok: problems.length === 0, detail: detail.join('; ') };
}

async function listFolders(root: string): Promise<number[]> {
  const ids: number[] = [];
  for (const shard of (await readdir(root)).filter((name) => /^\d+$/.test(name)))
    for (const name of await readdir(join(root, shard)).catch(() => [])) ids.push(Number.parseInt(name, 10));
  return ids;
}

/**
 * Checks that all files of releases, artifacts and logs belong to the owner of the folder of all repositories, if they are stored
 * in a folder.
 */
export async function filesFolder({ hearth }: CheckContext, owner?: number): Promise<Diagnosis> {
  const { root } = hearth.services.git;
  const folder = join(dirname(root), 'objects');
  const uid = owner ?? (await stat(root)).uid;
  const groups = await readdir(folder).catch(unlessMissing);
  const problem = await problemOfOwners(folder, ['', ...groups], uid);
  return {
    check: 'owners of files',
    ok: problem === undefined,
    detail: problem === undefined ? 'all right' : `${folder}: ${problem}`,
  };
}

function unlessMissing(error: unknown): string[] {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
  throw error;
}

const parts = ['', 'HEAD', 'config', 'objects', 'refs'];
/** The folders whose entries must belong to the owner. Git creates entries here if another user runs `git gc` or `git repack`. */
const ownedFolders = ['', 'objects', 'objects/info', 'objects/pack', 'refs', 'refs/heads', 'refs/tags', 'refs/pull'];
const validHead = /^(ref: refs\/\S+|[0-9a-f]{40})\n?$/;

/** The problem of a repository's folder, judging by its own files only; undefined if it has no problem. */
async function problemOf(path: string, owner: number): Promise<string | undefined> {
  for (const part of parts) {
    const name = part === '' ? 'its folder' : part;
    try {
      await stat(join(path, part));
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === 'ENOENT') return part === '' ? 'no folder' : `${name} is missing`;
      return code === 'EACCES'
        ? `${name} may not be read by this user: who owns it?`
        : `${name} can't be read (${reasonOf(error)})`;
    }
  }
  try {
    const head = await readFile(join(path, 'HEAD'), 'utf8');
    if (!validHead.test(head)) return `HEAD is ${head === '' ? 'empty' : 'damaged'}`;
  } catch (error) {
    return `HEAD can't be read (${reasonOf(error)})`;
  }
  return problemOfOwners(path, ownedFolders, owner);
}
