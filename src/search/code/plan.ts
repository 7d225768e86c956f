import type { Db } from '#database/connect.ts';
import { isGitError } from '#git/errors.ts';
import { listChanges, type PathChange } from '#git/history/changes.ts';
import { type ObjectReader, openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import type { TreeMode } from '#git/objects/parse-tree.ts';
import { type ListedEntry, readPartOfTree } from '#git/objects/tree-list.ts';
import type { GitLimits, GitRepository } from '#git/repo.ts';
import type { Id } from '#lib/id.ts';
import { maxFileSize } from './document.ts';
import { listIndexedFiles, sumIndexedFiles } from './store.ts';

/** The paths to remove from the index and the files to add, to update it to a commit. */
export type Plan = { remove: string[]; add: { path: string; oid: Oid }[] };

/** The number of files, and the sum of their sizes in bytes. */
type IndexSize = { files: number; bytes: number };

/** Files with longer paths aren't indexed. */
const maxPath = 4096;

const isFile = (mode: TreeMode): boolean => mode === '100644' || mode === '100755';

const isWithinLimits = ({ indexedFiles, indexedSize }: GitLimits, { files, bytes }: IndexSize): boolean =>
  files <= indexedFiles && bytes <= indexedSize;

type IndexedRepository = { db: Db; repository: Id<'repositories'> };

/**
 * The changes since an indexed commit. Undefined if that commit no longer exists, or if the index would exceed its limits, so
 * that a full index is needed.
 */
export async function planChanges(
  { db, repository }: IndexedRepository,
  repo: GitRepository,
  { from, to }: { from: Oid; to: Oid },
): Promise<Plan | undefined> {
  await using reader = await openObjects(repo);
  if (!(await reader.findInfo(from, { peel: 'commit' }))) return undefined;
  const changes = await findChanges(repo, { from, to });
  if (!changes) return undefined;
  const { add, bytes } = await additions(reader, changes);
  const before = await sumIndexedFiles(db, repository);
  const after = { files: before.files + add.length, bytes: before.bytes + bytes };
  return isWithinLimits(repo.store.limits, after) ? { remove: changes.map(({ path }) => path), add } : undefined;
}

/** The changed paths; undefined if there are too many. */
async function findChanges(repo: GitRepository, ends: { from: Oid; to: Oid }): Promise<PathChange[] | undefined> {
  try {
    return await listChanges(repo, ends);
  } catch (error) {
    if (isGitError(error, 'too-large') || isGitError(error, 'timeout')) return undefined;
    throw error;
  }
}

const sizesPerBatch = 2_000;

async function additions(reader: ObjectReader, changes: readonly PathChange[]): Promise<{ add: Plan['add']; bytes: number }> {
  const newFiles = changes.flatMap(({ path, new: entry }) =>
    entry && isFile(entry.mode) && path.length <= maxPath ? [{ path, oid: entry.oid }] : [],
  );
  const add: Plan['add'] = [];
  let bytes = 0;
  for (let at = 0; at < newFiles.length; at += sizesPerBatch) {
    const batch = newFiles.slice(at, at + sizesPerBatch);
    const infos = await reader.findInfos(batch.map(({ oid }) => oid));
    for (const [index, file] of batch.entries()) {
      const size = infos[index]?.size ?? 0;
      if (size >= maxFileSize) continue;
      add.push(file);
      bytes += size;
    }
  }
  return { add: byPath(add), bytes };
}

/** The difference between a commit's files and the existing rows, which may be incomplete after a crash. */
export async function planFullIndex({ db, repository }: IndexedRepository, repo: GitRepository, to: Oid): Promise<Plan> {
  const files = byPath(await searchedFiles(repo, to));
  const indexed = await listIndexedFiles(db, repository);
  const add = files.filter(({ path, oid }) => indexed.get(path) !== oid);
  for (const { path, oid } of files) if (indexed.get(path) === oid) indexed.delete(path);
  return { remove: [...indexed.keys()], add };
}

/** The files of a commit in Git's order, up to the limits of the index. */
async function searchedFiles(repo: GitRepository, commit: Oid): Promise<Plan['add']> {
  const { limits } = repo.store;
  const files: Plan['add'] = [];
  let bytes = 0;
  for await (const batch of readPartOfTree(repo, commit, { recursive: true, folders: true, limit: 2 * limits.indexedFiles })) {
    for (const { path, oid, size = 0 } of batch.filter(isSearched)) {
      bytes += size;
      if (!isWithinLimits(limits, { files: files.length + 1, bytes })) return files;
      files.push({ path, oid });
    }
  }
  return files;
}

const isSearched = ({ path, mode, size = 0 }: ListedEntry): boolean =>
  isFile(mode) && size < maxFileSize && path.length <= maxPath;

/** Removes duplicate paths: different names that aren't UTF-8 may decode to the same text. */
const byPath = (files: readonly { path: string; oid: Oid }[]): Plan['add'] => [
  ...new Map(files.map(({ path, oid }) => [path, { path, oid }])).values(),
];
