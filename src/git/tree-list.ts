import { GitError } from './errors.ts';
import { type ObjectType, openObjects } from './objects.ts';
import { checkedOid, type Oid } from './oid.ts';
import { canonicalMode, type TreeMode, typeOfMode } from './parse-tree.ts';
import type { Repo } from './repo.ts';
import { run } from './run.ts';

/** An entry of a listing; `size` is there for files and links. */
export type ListedEntry = { path: string; mode: TreeMode; type: ObjectType; oid: Oid; size?: number };

const line = /^(\d+) (\w+) ([0-9a-f]{40}) +(\d+|-)\t(.*)$/s;

/**
 * Lists a tree (or a commit's) with sizes, in Git's order. With `recursive`, everything below; folders themselves are
 * listed too when `folders` is set. At `limit` entries the listing is cut.
 */
export async function listTree(
  repo: Repo,
  rev: Oid,
  options: { path?: string; recursive?: true; folders?: true; limit?: number } = {},
): Promise<{ entries: ListedEntry[]; truncated: boolean }> {
  await using reader = await openObjects(repo);
  const { path, recursive, folders, limit = Number.POSITIVE_INFINITY } = options;
  const tree = await reader.findInfo(checkedOid(rev), path ? { path } : { peel: 'tree' });
  if (tree?.type !== 'tree') throw new GitError('not-found', 'No such tree');
  const flags = [...(recursive ? ['-r'] : []), ...(recursive && folders ? ['-t'] : [])];
  const { stdout } = await run(repo, ['ls-tree', ...flags, '-l', '-z', tree.oid]);
  const records = stdout.toString('utf8').split('\0');
  const found = Math.max(records.length - 1, 0);
  const entries = records.slice(0, Math.min(found, limit)).map((record) => listed(record, path));
  return { entries, truncated: found > entries.length };
}

function listed(record: string, folder: string | undefined): ListedEntry {
  const [, octal = '', , oid = '', size = '-', path = ''] = line.exec(record) ?? [];
  const mode = canonicalMode(octal);
  const entry = { path: folder ? `${folder}/${path}` : path, mode, type: typeOfMode(mode), oid };
  return size === '-' ? entry : { ...entry, size: Number(size) };
}
