import { LRUCache } from 'lru-cache';
import { listFirstNames } from '#git/refs/refs.ts';
import type { GitRepository } from '#git/repo.ts';
import type { RefNames } from './schemas.ts';

/** The number of names in each part of the menu. */
const maxNames = 50;

/**
 * Names for menus, by repository. Many pages show the menu, and listing takes a process of Git, so that a new branch may be
 * missing in it for two seconds. No decision depends on it.
 */
const listed = new LRUCache<string, Promise<RefNames>>({ max: 1_000, ttl: 2_000 });

/** The names of the first branches and tags. */
export function listRefNames(repo: GitRepository): Promise<RefNames> {
  const known = listed.get(repo.path);
  if (known) return known;
  const reading = readNames(repo);
  listed.set(repo.path, reading);
  // A failure isn't kept.
  reading.catch(() => listed.delete(repo.path));
  return reading;
}

async function readNames(repo: GitRepository): Promise<RefNames> {
  const [branches, tags] = await Promise.all([
    listFirstNames(repo, { prefix: 'refs/heads/', count: maxNames + 1 }),
    listFirstNames(repo, { prefix: 'refs/tags/', count: maxNames + 1, isDescending: true }),
  ]);
  const part = (names: readonly string[]) => ({ names: names.slice(0, maxNames), is_cut: names.length > maxNames });
  return { branches: part(branches), tags: part(tags) };
}
