import { GitError, isGitError } from '../errors.ts';
import { readRecords } from '../process/records.ts';
import type { GitRepository } from '../repo.ts';
import { cached, kindOf } from './object-cache.ts';
import { type ObjectInfo, type ObjectReader, type ObjectType, openObjects } from './objects.ts';
import { checkedOid, type Oid } from './oid.ts';
import { canonicalMode, parseTree, type TreeMode, typeOfMode } from './parse-tree.ts';

/** An entry of a tree listing. Files and links have a `size` in bytes. */
export type ListedEntry = { path: string; mode: TreeMode; type: ObjectType; oid: Oid; size?: number };

type Depth = { recursive?: true; folders?: true };

const line = /^(\d+) (\w+) ([0-9a-f]{40}) +(\d+|-)\t(.*)$/s;

/**
 * The entries of a tree (or of a commit's tree) with sizes, in Git's order and in batches. `recursive` lists the entries of
 * folders, and with `folders` also the folders. Git ends when the consumer stops reading, since a few nested folders can contain
 * any number of files.
 */
export async function* readTree(
  repo: GitRepository,
  tree: Oid,
  { recursive, folders }: Depth = {},
): AsyncGenerator<ListedEntry[]> {
  const flags = [...(recursive ? ['-r'] : []), ...(recursive && folders ? ['-t'] : [])];
  for await (const records of readRecords(repo, ['ls-tree', ...flags, '-l', '-z', checkedOid(tree)], { separator: 0 }))
    yield records.map(parseEntry);
}

/**
 * Like `readTree`, for background work that accepts a part of the tree: it ends at `limit` entries, when their paths exceed
 * `git.output`, or when git reaches a limit.
 */
export async function* readPartOfTree(
  repo: GitRepository,
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

type Listing = { entries: ListedEntry[]; truncated: boolean };

/** Cached listings, by tree (or commit and path) and depth. */
const listings = kindOf<Listing>('listing');

/**
 * Lists a tree like `readTree`, up to `limit` entries and `git.listing` bytes.
 * @throws GitError `not-found` if the tree or the path doesn't exist
 */
export async function listTree(
  repo: GitRepository,
  rev: Oid,
  options: Depth & { path?: string; limit: number },
): Promise<Listing> {
  const { path = '', recursive = false, folders = false, limit } = options;
  const key = [checkedOid(rev), recursive, folders, limit, path].join(' ');
  return cached(repo, listings, key, () => readListing(repo, rev, options));
}

async function readListing(
  repo: GitRepository,
  rev: Oid,
  { path, limit, ...depth }: Depth & { path?: string; limit: number },
): Promise<Listing> {
  await using reader = await openObjects(repo);
  const tree = await reader.findInfo(rev, path ? { path } : { peel: 'tree' });
  if (tree?.type !== 'tree') throw new GitError('not-found', 'No such tree');
  const batches = (depth.recursive ? undefined : await readSmallFolder(reader, tree)) ?? readTree(repo, tree.oid, depth);
  const entries: ListedEntry[] = [];
  let bytes = 0;
  for await (const batch of batches) {
    for (const entry of batch) {
      bytes += bytesBeforePath + entry.path.length;
      if (entries.length === limit || bytes > repo.store.limits.listing) return { entries, truncated: true };
      entries.push(path ? { ...entry, path: `${path}/${entry.path}` } : entry);
    }
  }
  return { entries, truncated: false };
}

/** A separate git process lists larger folders. */
const maxSmallFolder = 1_000;

/** The entries of a folder, in one batch from the reader; undefined if it is large. */
async function readSmallFolder(reader: ObjectReader, { oid, size }: ObjectInfo): Promise<ListedEntry[][] | undefined> {
  if (size > maxSmallFolder * bytesBeforePath) return undefined;
  const entries = parseTree((await reader.get(oid, { type: 'tree' })).data);
  if (entries.length > maxSmallFolder) return undefined;
  const sizes = await Promise.all(entries.map(({ type, oid: child }) => (type === 'blob' ? reader.sizeOf(child) : undefined)));
  const listed = entries.map(({ name: path, mode, type, oid: child }, index) => {
    const bytes = sizes[index];
    return { path, mode, type, oid: child, ...(bytes !== undefined && { size: bytes }) };
  });
  return [listed];
}

/** The bytes that `git ls-tree` writes before each path. */
const bytesBeforePath = 60;

function parseEntry(record: Buffer): ListedEntry {
  const [, octal = '', , oid = '', size = '-', path = ''] = line.exec(record.toString('utf8')) ?? [];
  const mode = canonicalMode(octal);
  const entry = { path, mode, type: typeOfMode(mode), oid };
  return size === '-' ? entry : { ...entry, size: Number(size) };
}
