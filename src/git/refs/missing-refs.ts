import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { GitRepository } from '../repo.ts';

/**
 * The refs from a list that a repository doesn't have, and whether it has no refs at all. It reads Git's files, which takes less
 * time than starting git.
 */
export async function findMissingRefs(
  repo: GitRepository,
  names: readonly string[],
): Promise<{ missing: string[]; isEmpty: boolean }> {
  const loose = await Promise.all(names.map((name) => isFile(join(repo.path, name))));
  const rest = names.filter((_name, at) => !loose[at]);
  if (names.length > 0 && rest.length === 0) return { missing: [], isEmpty: false };
  const packed = await readPackedNames(repo);
  const isEmpty = packed.size === 0 && rest.length === names.length && !(await hasFile(join(repo.path, 'refs')));
  return { missing: rest.filter((name) => !packed.has(name)), isEmpty };
}

const isFile = async (path: string): Promise<boolean> => (await stat(path).catch(unlessAbsent))?.isFile() ?? false;

async function readPackedNames({ path }: GitRepository): Promise<Set<string>> {
  const text = (await readFile(join(path, 'packed-refs'), 'utf8').catch(unlessAbsent)) ?? '';
  return new Set([...text.matchAll(/^[0-9a-f]{40} (\S+)$/gm)].map(([, name = '']) => name));
}

async function hasFile(folder: string): Promise<boolean> {
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isFile() || (entry.isDirectory() && (await hasFile(join(folder, entry.name))))) return true;
  return false;
}

function unlessAbsent(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return undefined;
  throw error;
}
