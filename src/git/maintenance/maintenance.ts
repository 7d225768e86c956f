import { lstat, readdir, rm, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { run } from '../process/run.ts';
import type { GitRepository, GitStore } from '../repo.ts';

/**
 * Packs objects and refs, removes objects that have been unreachable for two weeks, and writes the commit graph. Unreachable ones
 * are packed too (`--cruft`). Otherwise the loose objects of former test merges would cause a new packing after each push.
 */
export async function collectGarbage(repo: GitRepository): Promise<void> {
  await run(repo, ['gc', '--quiet', '--cruft', '--prune=2.weeks.ago'], { kind: 'transfer' });
  await run(repo, ['commit-graph', 'write', '--reachable', '--changed-paths', '--no-progress'], { kind: 'transfer' });
}

/** The size of a repository's objects on disk, and the numbers that decide when to call `collectGarbage`. */
type ObjectsOnDisk = { readonly bytes: number; readonly looseObjects: number; readonly packs: number };

/**
 * Measures the objects of a repository. It runs after every push, since reading a few folders takes less time than starting git.
 */
export async function measureObjects({ path }: GitRepository): Promise<ObjectsOnDisk> {
  const objects = join(path, 'objects');
  const folders = (await readdir(objects)).filter((name) => /^[0-9a-f]{2}$/.test(name));
  let looseObjects = 0;
  let bytes = 0;
  for (const folder of folders) {
    const sizes = await sizesIn(join(objects, folder), /^[0-9a-f]{38}$/);
    looseObjects += sizes.length;
    bytes += sum(sizes);
  }
  const packs = await sizesIn(join(objects, 'pack'), /^pack-.*\.pack$/);
  const indexes = await sizesIn(join(objects, 'pack'), /^pack-.*\.idx$/);
  return { bytes: bytes + sum(packs) + sum(indexes), looseObjects, packs: packs.length };
}

/** The sizes on disk of the files in a folder with matching names. A folder of loose objects disappears when they are packed. */
async function sizesIn(folder: string, wanted: RegExp): Promise<number[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => wanted.test(name));
  const stats = await Promise.all(names.map((name) => lstat(join(folder, name)).catch(() => undefined)));
  return stats.flatMap((found) => (found ? [512 * found.blocks] : []));
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** Runs `git fsck`. Returns the problems; none for an intact repository. */
export async function checkRepository(repo: GitRepository): Promise<string[]> {
  const args = ['fsck', '--no-dangling', '--no-progress', '--full'];
  const { stdout, stderr, code } = await run(repo, args, { kind: 'transfer', codes: [0, 1, 2, 3, 4, 5, 6, 7, 8, 16, 128] });
  if (code === 0) return [];
  const lines = `${stdout.toString('utf8')}\n${stderr}`.split('\n').filter((line) => line.trim() !== '');
  return lines.length > 0 ? lines : [`git fsck ended with ${code}`];
}

const leftover = /\.lock$|^tmp_|^tmp_objdir-|^incoming-/;

/**
 * Removes lock files and temporary objects of killed git processes that haven't changed since `before`, which must be longer ago
 * than any transfer takes. A stale lock would block its ref. Returns the removed paths.
 */
export async function removeLeftovers(repo: GitRepository, before: Date): Promise<string[]> {
  const removed: string[] = [];
  for (const entry of await readdir(repo.path, { recursive: true, withFileTypes: true })) {
    if (!leftover.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    const found = await stat(path).catch(() => undefined);
    if (!found || found.mtime >= before) continue;
    await rm(path, { recursive: true, force: true });
    removed.push(relative(repo.path, path));
  }
  return removed;
}

/**
 * Removes temporary folders of interrupted creations, copies and removals of repositories that haven't changed since `before`.
 */
export async function removeLeftoverFolders(store: GitStore, before: Date): Promise<void> {
  const folder = join(store.root, 'tmp');
  for (const name of await readdir(folder)) {
    const found = await stat(join(folder, name)).catch(() => undefined);
    if (found && found.mtime < before) await rm(join(folder, name), { recursive: true, force: true });
  }
}
