import type { Db } from '#database/connect.ts';
import { isGitError } from '#git/errors.ts';
import { listChanges, type PathChange } from '#git/history/changes.ts';
import { type ObjectReader, openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import type { TreeMode } from '#git/objects/parse-tree.ts';
import { type ListedEntry, readPartOfTree } from '#git/objects/tree-list.ts';
import type { GitLimits, Repo } from '#git/repo.ts';
import type { Id } from '#lib/id.ts';
import { maxFileSize } from './document.ts';
import { listIndexedFiles, sumIndexedFiles } from './store.ts';

/** What has to leave the index, and what has to enter it, so that it shows a commit. */
export type Plan = { remove: string[]; add: { path: string; oid: Oid }[] };

/** How many files there are, with their bytes together. */
export type Extent = { files: number; bytes: number };

/** A file with a longer path isn't searched. */
const longestPath = 4096;

const isFile = (mode: TreeMode): boolean => mode === '100644' || mode === '100755';

const fits = ({ indexedFiles, indexedSize }: GitLimits, { files, bytes }: Extent): boolean =>
  files <= indexedFiles && bytes <= indexedSize;

type Indexed = { db: Db; repository: Id<'repositories'> };

/**
 * The changes from an indexed commit. Undefined when that commit isn't there any more, and when there are so many that the index
 * would exceed its limits: then the whole tree decides what belongs to it.
 */
export async function planChanges(
  { db, repository }: Indexed,
  repo: Repo,
  { from, to }: { from: Oid; to: Oid },
): Promise<Plan | undefined> {
  await using reader = await openObjects(repo);
  if (!(await reader.findInfo(from, { peel: 'commit' }))) return undefined;
  const changes = await findChanges(repo, { from, to });
  if (!changes) return undefined;
  const { add, bytes } = await additions(reader, changes);
  const before = await sumIndexedFiles(db, repository);
  const after = { files: before.files + add.length, bytes: before.bytes + bytes };
  return fits(repo.store.limits, after) ? { remove: changes.map(({ path }) => path), add } : undefined;
}

/** The changed paths; undefined where there are too many. */
async function findChanges(repo: Repo, ends: { from: Oid; to: Oid }): Promise<PathChange[] | undefined> {
  try {
    return await listChanges(repo, ends);
  } catch (error) {
    if (isGitError(error, 'too-large') || isGitError(error, 'timeout')) return undefined;
    throw error;
  }
}

const sizesPerBatch = 2_000;

async function additions(reader: ObjectReader, changes: readonly PathChange[]): Promise<{ add: Plan['add']; bytes: number }> {
  const entered = changes.flatMap(({ path, new: entry }) =>
    entry && isFile(entry.mode) && path.length <= longestPath ? [{ path, oid: entry.oid }] : [],
  );
  const add: Plan['add'] = [];
  let bytes = 0;
  for (let at = 0; at < entered.length; at += sizesPerBatch) {
    const some = entered.slice(at, at + sizesPerBatch);
    const infos = await reader.findInfos(some.map(({ oid }) => oid));
    for (const [index, file] of some.entries()) {
      const size = infos[index]?.size ?? 0;
      if (size >= maxFileSize) continue;
      add.push(file);
      bytes += size;
    }
  }
  return { add: byPath(add), bytes };
}

/** The difference between a commit's files and the rows that are there, whatever these came from: a crash leaves a part. */
export async function planWhole({ db, repository }: Indexed, repo: Repo, to: Oid): Promise<Plan> {
  const wanted = byPath(await searchedFiles(repo, to));
  const indexed = await listIndexedFiles(db, repository);
  const add = wanted.filter(({ path, oid }) => indexed.get(path) !== oid);
  for (const { path, oid } of wanted) if (indexed.get(path) === oid) indexed.delete(path);
  return { remove: [...indexed.keys()], add };
}

/** The files of a commit in Git's order, as far as the limits of the index. */
async function searchedFiles(repo: Repo, commit: Oid): Promise<Plan['add']> {
  const { limits } = repo.store;
  const files: Plan['add'] = [];
  let bytes = 0;
  for await (const some of readPartOfTree(repo, commit, { recursive: true, folders: true, limit: 2 * limits.indexedFiles })) {
    for (const { path, oid, size = 0 } of some.filter(isSearched)) {
      bytes += size;
      if (!fits(limits, { files: files.length + 1, bytes })) return files;
      files.push({ path, oid });
    }
  }
  return files;
}

const isSearched = ({ path, mode, size = 0 }: ListedEntry): boolean =>
  isFile(mode) && size < maxFileSize && path.length <= longestPath;

/** One entry for each path: names that aren't UTF-8 may read alike. */
const byPath = (files: readonly { path: string; oid: Oid }[]): Plan['add'] => [
  ...new Map(files.map(({ path, oid }) => [path, { path, oid }])).values(),
];
