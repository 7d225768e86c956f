import { GitError, isGitError } from '../errors.ts';
import { readRecords } from '../process/records.ts';
import type { Repo } from '../repo.ts';
import { type ObjectType, openObjects } from './objects.ts';
import { checkedOid, type Oid } from './oid.ts';
import { canonicalMode, type TreeMode, typeOfMode } from './parse-tree.ts';

/** An entry of a listing; `size` is there for files and links. */
export type ListedEntry = { path: string; mode: TreeMode; type: ObjectType; oid: Oid; size?: number };

export type Depth = { recursive?: true; folders?: true };

const line = /^(\d+) (\w+) ([0-9a-f]{40}) +(\d+|-)\t(.*)$/s;

/**
 * The entries of a tree (or a commit's) with sizes, in Git's order, some at a time. With `recursive`, everything below; folders
 * themselves are listed too when `folders` is set. Whoever stops reading ends git: a few nested folders can hold any number of files.
 */
export async function* readTree(repo: Repo, tree: Oid, { recursive, folders }: Depth = {}): AsyncGenerator<ListedEntry[]> {
  const flags = [...(recursive ? ['-r'] : []), ...(recursive && folders ? ['-t'] : [])];
  for await (const records of readRecords(repo, ['ls-tree', ...flags, '-l', '-z', checkedOid(tree)], { separator: 0 }))
    yield records.map(listed);
}

/**
 * As `readTree`, for background work that takes what it gets: it ends at `limit` entries, where their paths exceed `git.output`, and
 * where git itself reaches a limit.
 */
export async function* readPartOfTree(
  repo: Repo,
  tree: Oid,
  { limit, ...depth }: Depth & { limit: number },
): AsyncGenerator<ListedEntry[]> {
  let entries = 0;
  let bytes = 0;
  try {
    for await (const some of readTree(repo, tree, depth)) {
      for (const { path } of some) bytes += path.length;
      yield some.slice(0, limit - entries);
      entries += some.length;
      if (entries >= limit || bytes > repo.store.limits.output) return;
    }
  } catch (error) {
    if (!isGitError(error, 'too-large') && !isGitError(error, 'timeout')) throw error;
  }
}

/**
 * Lists a tree (or a commit's) as `readTree` does. The listing is cut at `limit` entries, or where it exceeds the limit of bytes
 * `git.listing`.
 */
export async function listTree(
  repo: Repo,
  rev: Oid,
  options: Depth & { path?: string; limit: number },
): Promise<{ entries: ListedEntry[]; truncated: boolean }> {
  const { path, limit } = options;
  const tree = await findTree(repo, rev, path);
  const entries: ListedEntry[] = [];
  let bytes = 0;
  for await (const some of readTree(repo, tree, options)) {
    for (const entry of some) {
      bytes += columns + entry.path.length;
      if (entries.length === limit || bytes > repo.store.limits.listing) return { entries, truncated: true };
      entries.push(path ? { ...entry, path: `${path}/${entry.path}` } : entry);
    }
  }
  return { entries, truncated: false };
}

/** What git writes of an entry before its path. */
const columns = 60;

async function findTree(repo: Repo, rev: Oid, path: string | undefined): Promise<Oid> {
  await using reader = await openObjects(repo);
  const tree = await reader.findInfo(checkedOid(rev), path ? { path } : { peel: 'tree' });
  if (tree?.type !== 'tree') throw new GitError('not-found', 'No such tree');
  return tree.oid;
}

function listed(record: Buffer): ListedEntry {
  const [, octal = '', , oid = '', size = '-', path = ''] = line.exec(record.toString('utf8')) ?? [];
  const mode = canonicalMode(octal);
  const entry = { path, mode, type: typeOfMode(mode), oid };
  return size === '-' ? entry : { ...entry, size: Number(size) };
}
