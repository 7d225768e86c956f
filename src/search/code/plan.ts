import type { Db } from '#database/connect.ts';
import { listChanges } from '#git/changes.ts';
import { openObjects } from '#git/objects.ts';
import type { Oid } from '#git/oid.ts';
import type { TreeMode } from '#git/parse-tree.ts';
import type { Repo } from '#git/repo.ts';
import { listTree } from '#git/tree-list.ts';
import type { Id } from '#lib/id.ts';
import { maxFileSize } from './document.ts';
import { listIndexedFiles } from './store.ts';

/** What has to leave the index, and what has to enter it, so that it shows a commit. */
export type Plan = { remove: string[]; add: { path: string; oid: Oid }[] };

const isFile = (mode: TreeMode): boolean => mode === '100644' || mode === '100755';

/** The changes from an indexed commit; undefined when that commit isn't there any more. */
export async function planChanges(repo: Repo, from: Oid, to: Oid): Promise<Plan | undefined> {
  await using reader = await openObjects(repo);
  if (!(await reader.findInfo(from, { peel: 'commit' }))) return undefined;
  const changes = await listChanges(repo, { from, to });
  const added = changes.flatMap(({ path, new: entry }) => (entry && isFile(entry.mode) ? [{ path, oid: entry.oid }] : []));
  return { remove: changes.map(({ path }) => path), add: byPath(added) };
}

/** The difference between a commit's files and the rows that are there, whatever these came from: a crash leaves a part. */
export async function planWhole(db: Db, repo: Repo, repository: Id<'repositories'>, to: Oid): Promise<Plan> {
  const { entries } = await listTree(repo, to, { recursive: true });
  const indexed = await listIndexedFiles(db, repository);
  const wanted = byPath(entries.filter(({ mode, size = 0 }) => isFile(mode) && size < maxFileSize));
  const add = wanted.filter(({ path, oid }) => indexed.get(path) !== oid);
  for (const { path, oid } of wanted) if (indexed.get(path) === oid) indexed.delete(path);
  return { remove: [...indexed.keys()], add };
}

/** One entry for each path: names that aren't UTF-8 may read alike. */
const byPath = (files: readonly { path: string; oid: Oid }[]): Plan['add'] => [
  ...new Map(files.map(({ path, oid }) => [path, { path, oid }])).values(),
];
