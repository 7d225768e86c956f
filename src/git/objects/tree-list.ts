import { GitError, isGitError } from '../errors.ts';
import { readRecords } from '../process/records.ts';
import type { Repo } from '../repo.ts';
import { type ObjectType, openObjects } from './objects.ts';
import { checkedOid, type Oid } from './oid.ts';
import { canonicalMode, type TreeMode, typeOfMode } from './parse-tree.ts';

/** An entry of a tree listing. Files and links have a `size` in bytes. */
export type ListedEntry = { path: string; mode: TreeMode; type: ObjectType; oid: Oid; size?: number };

export type Depth = { recursive?: true; folders?: true };

const line = /^(\d+) (\w+) ([0-9a-f]{40}) +(\d+|-)\t(.*)$/s;

/**
 * The entries of a tree (or of a commit's tree) with sizes, in Git's order and in batches. `recursive` lists the entries of
 * folders, and with `folders` the folders too. It ends git where its consumer stops reading, since a few nested folders can
 * contain any number of files.
 */
export async function* readTree(repo: Repo, tree: Oid, { recursive, folders }: Depth = {}): AsyncGenerator<ListedEntry[]> {
  const flags = [...(recursive ? ['-r'] : []), ...(recursive && folders ? ['-t'] : [])];
  for await (const records of readRecords(repo, ['ls-tree', ...flags, '-l', '-z', checkedOid(tree)], { separator: 0 }))
    yield records.map(parseEntry);
}

/**
 * As `readTree`, for background work that accepts a part of the tree: it ends at `limit` entries, where their paths exceed
 * `git.output`, and where git reaches a limit.
 */
export async function* readPartOfTree(
  repo: Repo,
  tree: Oid,
  { limit, ...depth }: Depth & { limit: number },
): AsyncGenerator<ListedEntry[]> {
  let entries = 0;
  let bytes = 0;
  try {
    for await (const batch of readTree(repo, tree, depth)) {
      for (const { path } of batch) bytes += path.length;
      yield batch.slice(0, limit - entries);
      entries += batch.length;
      if (entries >= limit || bytes > repo.store.limits.output) return;
    }
  } catch (error) {
    if (!isGitError(error, 'too-large') && !isGitError(error, 'timeout')) throw error;
  }
}

/**
 * Lists a tree as `readTree`, up to `limit` entries and `git.listing` bytes.
 * @throws GitError `not-found` where the tree or the path doesn't exist
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
  for await (const batch of readTree(repo, tree, options)) {
    for (const entry of batch) {
      bytes += bytesBeforePath + entry.path.length;
      if (entries.length === limit || bytes > repo.store.limits.listing) return { entries, truncated: true };
      entries.push(path ? { ...entry, path: `${path}/${entry.path}` } : entry);
    }
  }
  return { entries, truncated: false };
}

/** The bytes that `git ls-tree` writes before each path. */
const bytesBeforePath = 60;

async function findTree(repo: Repo, rev: Oid, path: string | undefined): Promise<Oid> {
  await using reader = await openObjects(repo);
  const tree = await reader.findInfo(checkedOid(rev), path ? { path } : { peel: 'tree' });
  if (tree?.type !== 'tree') throw new GitError('not-found', 'No such tree');
  return tree.oid;
}

function parseEntry(record: Buffer): ListedEntry {
  const [, octal = '', , oid = '', size = '-', path = ''] = line.exec(record.toString('utf8')) ?? [];
  const mode = canonicalMode(octal);
  const entry = { path, mode, type: typeOfMode(mode), oid };
  return size === '-' ? entry : { ...entry, size: Number(size) };
}
