import { Readable } from 'node:stream';
import { change, type Db } from '#database/connect.ts';
import type { ObjectReader } from '#git/objects/objects.ts';
import { openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import type { GitRepository, GitStore } from '#git/repo.ts';
import { repoOf } from '#git/store.ts';
import type { Id } from '#lib/id.ts';
import { nextTurn } from '#lib/turns.ts';
import { analyserVersion } from '#search/analyse/analyse.ts';
import { findDefaultBranch, findTip, withIndexLock } from '#search/branch.ts';
import { type Document, documentOf, maxFileSize } from './document.ts';
import { type Plan, planChanges, planFullIndex } from './plan.ts';
import * as store from './store.ts';

type IndexOptions = {
  db: Db;
  git: GitStore;
  repositoryId: Id<'repositories'>;
  now: Date;
  /** Analyses all files again, including indexed ones. */
  rebuild?: boolean;
  /** Called after each batch, and once at the beginning. */
  onProgress?: (progress: { done: number; total: number }) => void;
};

/** The result of indexing. `files` is the number of files in the index; `commit` is undefined for an empty repository. */
type IndexReport = { commit: Oid | undefined; files: number; removed: number; added: number };

const filesPerBatch = 512;
const bytesPerBatch = 4 * 1024 * 1024;
const batchesAhead = 3;
const removalsPerBatch = 5_000;
/** From this number of changed files on, the pending list of the index is flushed. */
const flushThreshold = 200;
const bulkThreshold = 2_000;

/**
 * Updates the code index of a repository to the current commit of its default branch: only the changed paths if the last indexed
 * commit is known, otherwise all files. It can be repeated at any time, and continues after a crash. A lock lets one process
 * index a repository at a time.
 */
export function indexRepositoryCode(options: IndexOptions): Promise<IndexReport | undefined> {
  const { db, git, repositoryId } = options;
  return withIndexLock(db, 'code', repositoryId, async (connection) => {
    const branch = await findDefaultBranch(connection, repositoryId);
    if (branch === undefined) return undefined;
    try {
      return await updateIndex(connection, repoOf(git, repositoryId), branch, options);
    } catch (error) {
      // The repository and its rows were deleted in the meantime.
      if ((await findDefaultBranch(connection, repositoryId)) === undefined) return undefined;
      throw error;
    }
  });
}

async function updateIndex(db: Db, repo: GitRepository, branch: string, options: IndexOptions): Promise<IndexReport> {
  const { repositoryId, now } = options;
  const state = { branch, analyser: analyserVersion, indexed_at: now };
  const commit = await findTip(repo, branch);
  const known = await store.findCodeIndex(db, repositoryId);
  const usable = !options.rebuild && known?.analyser === analyserVersion;
  if (commit && usable && known.commit_oid === commit) {
    await change(db, (tx) => store.saveCodeIndex(tx, repositoryId, { ...state, commit_oid: commit, files: known.files }));
    return { commit, files: known.files, removed: 0, added: 0 };
  }
  if (!commit || !usable) {
    // One transaction, so that a crash doesn't leave an empty index with a commit.
    await change(db, async (tx) => {
      if (!commit || known) await store.removeAllFiles(tx, repositoryId);
      await store.saveCodeIndex(tx, repositoryId, { ...state, commit_oid: null, files: 0 });
    });
  }
  if (!commit) return { commit: undefined, files: 0, removed: 0, added: 0 };
  const from = usable ? known.commit_oid : null;
  const indexed = { db, repository: repositoryId };
  const plan = (from && (await planChanges(indexed, repo, { from, to: commit }))) || (await planFullIndex(indexed, repo, commit));
  const work = () => applyPlan(db, repo, plan, options);
  const added = await (plan.add.length >= bulkThreshold ? store.withBulkSettings(db, work) : work());
  if (added + plan.remove.length >= flushThreshold) await store.flushPendingList(db);
  const files = await store.countIndexedFiles(db, repositoryId);
  await change(db, (tx) => store.saveCodeIndex(tx, repositoryId, { ...state, commit_oid: commit, files }));
  return { commit, files, removed: plan.remove.length, added };
}

/**
 * Applies a plan in batches with a transaction each, so that completed batches survive a crash. The next batch is read while one
 * is written.
 */
async function applyPlan(db: Db, repo: GitRepository, plan: Plan, { repositoryId, onProgress }: IndexOptions): Promise<number> {
  const total = plan.add.length;
  onProgress?.({ done: 0, total });
  const addedPaths = new Set(plan.add.map(({ path }) => path));
  const removedPaths = plan.remove.filter((path) => !addedPaths.has(path));
  for (let at = 0; at < removedPaths.length; at += removalsPerBatch) {
    await change(db, (tx) => store.removeFiles(tx, repositoryId, removedPaths.slice(at, at + removalsPerBatch)));
  }
  await using reader = await openObjects(repo);
  const batches: AsyncIterable<Batch> = Readable.from(documents(reader, repositoryId, plan.add), { highWaterMark: batchesAhead });
  let added = 0;
  let done = 0;
  for await (const { paths, documents } of batches) {
    await change(db, (tx) => store.replaceFiles(tx, repositoryId, paths, documents));
    added += documents.length;
    done += paths.length;
    onProgress?.({ done, total });
  }
  return added;
}

type Batch = { paths: string[]; documents: Document[] };

async function* documents(reader: ObjectReader, repositoryId: number, files: Plan['add']): AsyncGenerator<Batch> {
  let batch: Batch = { paths: [], documents: [] };
  let bytes = 0;
  let at = 0;
  for await (const read of reader.readMany(
    files.map(({ oid }) => oid),
    { maxSize: maxFileSize - 1 },
  )) {
    const path = files[at++]?.path ?? '';
    batch.paths.push(path);
    // Yields, so that the statements of the previous batch continue.
    await nextTurn();
    if ('object' in read && read.object.type === 'blob') {
      const document = await documentOf({ repositoryId, path, oid: read.oid, data: read.object.data });
      if (document) batch.documents.push(document);
      bytes += read.object.size;
    }
    if (batch.paths.length < filesPerBatch && bytes < bytesPerBatch) continue;
    yield batch;
    batch = { paths: [], documents: [] };
    bytes = 0;
  }
  if (batch.paths.length > 0) yield batch;
}
