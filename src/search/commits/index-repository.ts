import { setImmediate } from 'node:timers/promises';
import { change, type Db } from '#database/connect.ts';
import { listNewOids, readHistory } from '#git/history/history.ts';
import { openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import type { GitStore, Repo } from '#git/repo.ts';
import { repoOf } from '#git/store.ts';
import type { Id } from '#lib/id.ts';
import { analyserVersion } from '#search/analyse/analyse.ts';
import { findDefaultBranch, findTip, whileLocked } from '#search/branch.ts';
import { type CommitDocument, commitDocument } from './document.ts';
import * as store from './store.ts';

export type CommitIndexOptions = {
  db: Db;
  git: GitStore;
  repositoryId: Id<'repositories'>;
  now: Date;
  /** Reads the whole history anew. */
  rebuild?: boolean;
  /** Called after each batch; how many there will be is not known before. */
  onProgress?: (progress: { done: number }) => void;
};

/** What an indexing did. `commits` are those now in the index. */
export type CommitIndexReport = { commit: Oid | undefined; commits: number; removed: number; added: number };

const commitsPerBatch = 1_000;
/** Messages may be long: so many commits are read together, and so many characters written. */
const readPerBatch = 100;
const charactersPerBatch = 1024 * 1024;
/** A push of more commits is treated like a new history. */
const maxChanges = 10_000;
const many = 500;

/**
 * Brings the commit index of a repository up to date with its default branch: adds what a push brought, and removes what a forced
 * push took away. Where the last indexed commit isn't known any more, it reads the whole history. It may be repeated at any time.
 */
export function indexRepositoryCommits(options: CommitIndexOptions): Promise<CommitIndexReport | undefined> {
  const { db, git, repositoryId } = options;
  return whileLocked(db, 'commits', repositoryId, async (connection) => {
    const branch = await findDefaultBranch(connection, repositoryId);
    if (branch === undefined) return undefined;
    try {
      return await bringUp({ ...options, db: connection }, repoOf(git, repositoryId), branch);
    } catch (error) {
      // The repository was deleted meanwhile, and its rows with it.
      if ((await findDefaultBranch(connection, repositoryId)) === undefined) return undefined;
      throw error;
    }
  });
}

async function bringUp(options: CommitIndexOptions, repo: Repo, branch: string): Promise<CommitIndexReport> {
  const { db, repositoryId, now } = options;
  const state = { branch, analyser: analyserVersion, indexed_at: now };
  const commit = await findTip(repo, branch);
  const known = await store.findCommitIndex(db, repositoryId);
  const usable = !options.rebuild && known?.analyser === analyserVersion;
  if (!commit || !usable) {
    // At once: an index that is empty and says otherwise would stay so after a crash.
    await change(db, async (tx) => {
      if (!commit || known) await store.removeAllCommits(tx, repositoryId);
      await store.saveCommitIndex(tx, repositoryId, { ...state, commit_oid: null, commits: 0 });
    });
  }
  if (!commit) return { commit: undefined, commits: 0, removed: 0, added: 0 };
  const from = usable ? known.commit_oid : null;
  const done = (from && (await indexChanges(options, repo, { from, to: commit }))) || (await indexWhole(options, repo, commit));
  if (done.added >= many) await store.settleIndex(db);
  const commits = await store.countIndexedCommits(db, repositoryId);
  await change(db, (tx) => store.saveCommitIndex(tx, repositoryId, { ...state, commit_oid: commit, commits }));
  return { commit, commits, ...done };
}

type Done = { removed: number; added: number };

/** The commits between two tips; undefined when there are too many, or the old tip doesn't exist any more. */
async function indexChanges(
  options: CommitIndexOptions,
  repo: Repo,
  { from, to }: { from: Oid; to: Oid },
): Promise<Done | undefined> {
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

/** Indexes the whole history. There may be rows already, as a crash leaves them. */
async function indexWhole(options: CommitIndexOptions, repo: Repo, tip: Oid): Promise<Done> {
  const known = await store.listIndexedCommits(options.db, options.repositoryId);
  const gone = new Set(known);
  let added = 0;
  for await (const oids of readHistory(repo, { from: tip, limit: repo.store.limits.indexedCommits })) {
    for (const oid of oids) gone.delete(oid);
    const fresh = oids.filter((oid) => !known.has(oid));
    await add(options, repo, fresh, added);
    added += fresh.length;
  }
  await remove(options, [...gone]);
  return { removed: gone.size, added };
}

/** Indexes commits. `before` is how many this indexing has added already. */
async function add(
  { db, repositoryId, onProgress }: CommitIndexOptions,
  repo: Repo,
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

/** The rows of commits, as many at a time as one statement writes. Between two commits, other work goes on. */
async function* readDocuments(repositoryId: number, repo: Repo, oids: readonly Oid[]): AsyncGenerator<CommitDocument[]> {
  await using reader = await openObjects(repo);
  let documents: CommitDocument[] = [];
  let characters = 0;
  for (let at = 0; at < oids.length; at += readPerBatch) {
    for (const commit of await reader.getCommits(oids.slice(at, at + readPerBatch))) {
      documents.push(commitDocument(repositoryId, commit));
      characters += commit.message.length;
      if (documents.length === commitsPerBatch || characters >= charactersPerBatch) {
        yield documents;
        [documents, characters] = [[], 0];
      } else await setImmediate();
    }
  }
  if (documents.length > 0) yield documents;
}

async function remove({ db, repositoryId }: CommitIndexOptions, oids: readonly string[]): Promise<void> {
  for (let at = 0; at < oids.length; at += commitsPerBatch) {
    await change(db, (tx) => store.removeCommits(tx, repositoryId, oids.slice(at, at + commitsPerBatch)));
  }
}
