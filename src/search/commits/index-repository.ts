import { change, type Db } from '#database/connect.ts';
import { listNewOids, readHistory } from '#git/history/history.ts';
import { openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import type { GitRepository, GitStore } from '#git/repo.ts';
import { repoOf } from '#git/store.ts';
import type { Id } from '#lib/id.ts';
import { nextTurn } from '#lib/turns.ts';
import { analyserVersion } from '#search/analyse/analyse.ts';
import { findDefaultBranch, findTip, withIndexLock } from '#search/branch.ts';
import { type CommitDocument, commitDocument } from './document.ts';
import * as store from './store.ts';

type CommitIndexOptions = {
  db: Db;
  git: GitStore;
  repositoryId: Id<'repositories'>;
  now: Date;
  /** Reads the whole history again. */
  rebuild?: boolean;
  /** Called after each batch. The total isn't known before the end. */
  onProgress?: (progress: { done: number }) => void;
};

/** The result of indexing. `commits` is the number of commits in the index. */
type CommitIndexReport = { commit: Oid | undefined; commits: number; removed: number; added: number };

const commitsPerBatch = 1_000;
/**
 * The number of commits that are read together, and the number of message characters that are written together, since messages
 * may be long.
 */
const readPerBatch = 100;
const charactersPerBatch = 1024 * 1024;
/** Beyond this number of new or removed commits, the whole history is read. */
const maxChanges = 10_000;
const flushThreshold = 500;

/**
 * Updates the commit index of a repository to its default branch: adds new commits, and removes commits that a forced push has
 * removed. If the last indexed commit no longer exists, it reads the whole history. It can be repeated at any time.
 */
export function indexRepositoryCommits(options: CommitIndexOptions): Promise<CommitIndexReport | undefined> {
  const { db, git, repositoryId } = options;
  return withIndexLock(db, 'commits', repositoryId, async (connection) => {
    const branch = await findDefaultBranch(connection, repositoryId);
    if (branch === undefined) return undefined;
    try {
      return await updateIndex({ ...options, db: connection }, repoOf(git, repositoryId), branch);
    } catch (error) {
      // The repository and its rows were deleted in the meantime.
      if ((await findDefaultBranch(connection, repositoryId)) === undefined) return undefined;
      throw error;
    }
  });
}

async function updateIndex(options: CommitIndexOptions, repo: GitRepository, branch: string): Promise<CommitIndexReport> {
  const { db, repositoryId, now } = options;
  const state = { branch, analyser: analyserVersion, indexed_at: now };
  const commit = await findTip(repo, branch);
  const known = await store.findCommitIndex(db, repositoryId);
  const usable = !options.rebuild && known?.analyser === analyserVersion;
  if (!commit || !usable) {
    // One transaction, so that a crash doesn't leave an empty index with a commit.
    await change(db, async (tx) => {
      if (!commit || known) await store.removeAllCommits(tx, repositoryId);
      await store.saveCommitIndex(tx, repositoryId, { ...state, commit_oid: null, commits: 0 });
    });
  }
  if (!commit) return { commit: undefined, commits: 0, removed: 0, added: 0 };
  const from = usable ? known.commit_oid : null;
  const done =
    (from && (await indexChanges(options, repo, { from, to: commit }))) || (await indexFullHistory(options, repo, commit));
  if (done.added >= flushThreshold) await store.flushPendingList(db);
  const commits = await store.countIndexedCommits(db, repositoryId);
  await change(db, (tx) => store.saveCommitIndex(tx, repositoryId, { ...state, commit_oid: commit, commits }));
  return { commit, commits, ...done };
}

type IndexChange = { removed: number; added: number };

/** Indexes the difference between two tips; undefined if there are too many commits or the old tip no longer exists. */
async function indexChanges(
  options: CommitIndexOptions,
  repo: GitRepository,
  { from, to }: { from: Oid; to: Oid },
): Promise<IndexChange | undefined> {
  if (from === to) return { removed: 0, added: 0 };
  await using reader = await openObjects(repo);
  if (!(await reader.findInfo(from, { peel: 'commit' }))) return undefined;
  const limit = maxChanges + 1;
  const added = await listNewOids(repo, { from, to, limit });
  const removed = await listNewOids(repo, { from: to, to: from, limit });
  if (added.length === limit || removed.length === limit) return undefined;
  await add(options, repo, added);
  await remove(options, removed);
  return { removed: removed.length, added: added.length };
}

/** Indexes the whole history. Some rows may already exist, for example after a crash. */
async function indexFullHistory(options: CommitIndexOptions, repo: GitRepository, tip: Oid): Promise<IndexChange> {
  const known = await store.listIndexedCommits(options.db, options.repositoryId);
  const obsolete = new Set(known);
  let added = 0;
  for await (const oids of readHistory(repo, { from: tip, limit: repo.store.limits.indexedCommits })) {
    for (const oid of oids) obsolete.delete(oid);
    const unindexed = oids.filter((oid) => !known.has(oid));
    await add(options, repo, unindexed, added);
    added += unindexed.length;
  }
  await remove(options, [...obsolete]);
  return { removed: obsolete.size, added };
}

/** Indexes commits. `before` is the number that this run has already added, for the progress. */
async function add(
  { db, repositoryId, onProgress }: CommitIndexOptions,
  repo: GitRepository,
  oids: readonly Oid[],
  before = 0,
): Promise<void> {
  let done = before;
  for await (const documents of readDocuments(repositoryId, repo, oids)) {
    await change(db, (tx) => store.insertCommits(tx, repositoryId, documents));
    done += documents.length;
    onProgress?.({ done });
  }
}

/** The rows of commits, in batches with one statement each. It yields to the event loop after each commit. */
async function* readDocuments(repositoryId: number, repo: GitRepository, oids: readonly Oid[]): AsyncGenerator<CommitDocument[]> {
  await using reader = await openObjects(repo, { isBulk: true });
  let documents: CommitDocument[] = [];
  let characters = 0;
  for (let at = 0; at < oids.length; at += readPerBatch) {
    for (const commit of await reader.getCommits(oids.slice(at, at + readPerBatch))) {
      documents.push(commitDocument(repositoryId, commit));
      characters += commit.message.length;
      if (documents.length === commitsPerBatch || characters >= charactersPerBatch) {
        yield documents;
        [documents, characters] = [[], 0];
      } else await nextTurn();
    }
  }
  if (documents.length > 0) yield documents;
}

async function remove({ db, repositoryId }: CommitIndexOptions, oids: readonly string[]): Promise<void> {
  for (let at = 0; at < oids.length; at += commitsPerBatch) {
    await change(db, (tx) => store.removeCommits(tx, repositoryId, oids.slice(at, at + commitsPerBatch)));
  }
}
