import type { Db } from '#database/connect.ts';
import { isGitError } from '#git/errors.ts';
import { areAncestors } from '#git/history/ancestors.ts';
import { listChanges } from '#git/history/changes.ts';
import { type CommitFile, readCommitFiles } from '#git/history/commit-files.ts';
import { listCommitsWithout } from '#git/history/new-commits.ts';
import { openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import type { Commit } from '#git/objects/parse-commit.ts';
import { branchOf } from '#git/refs/ref-name.ts';
import { findRef, hasBranches } from '#git/refs/refs.ts';
import type { GitRepository } from '#git/repo.ts';
import { gather, grouped, unique } from '#lib/collections.ts';
import { kindOfMove, type RuleCheck, type RuledMove } from './evaluator.ts';

/** Thrown where a ref gets more commits than rules can look at. */
export class TooManyCommits extends Error {}

type Given = Pick<RuleCheck, 'repo' | 'actor' | 'merge' | 'queue' | 'syncsUpstream' | 'host' | 'secrets' | 'isTrial' | 'now'> & {
  db: Db;
  gitRepository: GitRepository;
  moves: readonly RuledMove[];
};

/** The files that new commits change are kept while they are so many at most, and read anew by each rule otherwise. */
const maxKeptFiles = 100_000;

/** What evaluators may ask about some moves. Disposing of it ends its reader. */
export async function openCheck({ moves, ...given }: Given): Promise<RuleCheck & AsyncDisposable> {
  const { gitRepository, repo } = given;
  const reader = await openObjects(gitRepository);
  const { ruledCommits } = gitRepository.store.limits;
  const commits = new Map<string, Promise<readonly Commit[]>>();
  const defaultTip = once(() => findRef(gitRepository, `refs/heads/${repo.default_branch}`));
  const fastForwards = once(() => listFastForwards(gitRepository, moves));
  // One round trip for all new tips, which the reader keeps.
  const tips = once(() => reader.findCommits(moves.flatMap(({ after }) => after ?? [])));
  const read = async ({ ref, before, after }: RuledMove): Promise<readonly Commit[]> => {
    if (after === null) return [];
    await tips();
    // A new branch gets what the default branch hasn't.
    const without = before ?? (ref === `refs/heads/${repo.default_branch}` ? null : ((await defaultTip())?.oid ?? null));
    const found = await listCommitsWithout({ repo: gitRepository, reader }, { to: after, without, limit: ruledCommits + 1 });
    if (found.length > ruledCommits) throw new TooManyCommits();
    return found;
  };
  const newCommits = (move: RuledMove) => {
    const key = `${move.before} ${move.after}`;
    const known = commits.get(key) ?? read(move);
    commits.set(key, known);
    return known;
  };
  const files = once(async () => {
    const ofMoves = await Promise.all(moves.map(newCommits));
    return keepFiles(readCommitFiles(gitRepository, unique(gather(ofMoves.flat(), 'oid'))));
  });
  async function* newFiles(move: RuledMove): AsyncGenerator<readonly CommitFile[]> {
    const oids = gather(await newCommits(move), 'oid');
    const kept = await files();
    if (kept) yield oids.flatMap((oid) => kept.get(oid) ?? []);
    else yield* readCommitFiles(gitRepository, oids);
  }
  return {
    ...given,
    reader,
    newCommits,
    newFiles,
    async *changedFiles(move) {
      yield* newFiles(move);
      if (!isChain(await newCommits(move), move)) yield await listDifferences(gitRepository, move);
    },
    isFastForward: async (move) => (await fastForwards()).has(move.ref),
    isEmpty: once(async () => !(await hasBranches(gitRepository))),
    [Symbol.asyncDispose]: () => reader[Symbol.asyncDispose](),
  };
}

/**
 * Whether commits lead from a ref's former commit to its new one, each with one parent. Nothing differs then that none of them
 * changes.
 */
const isChain = (commits: readonly Commit[], { before, after }: RuledMove): boolean =>
  (commits.at(-1)?.oid ?? before) === after &&
  commits.every(({ parents }, at) => parents.length === 1 && parents[0] === (commits[at - 1]?.oid ?? before));

/** The files that differ between the former commit of a branch and the one that it gets. */
async function listDifferences(gitRepository: GitRepository, { ref, before, after }: RuledMove): Promise<CommitFile[]> {
  if (branchOf(ref) === undefined || before === null || after === null) return [];
  try {
    const changes = await listChanges(gitRepository, { from: before, to: after });
    return changes.map(({ path, new: entry }) => ({ commit: after, path, blob: entry?.oid }));
  } catch (error) {
    if (isGitError(error, 'too-large')) throw new TooManyCommits();
    throw error;
  }
}

/** Files by their commits; undefined where they are too many. */
async function keepFiles(batches: AsyncIterable<CommitFile[]>): Promise<ReadonlyMap<Oid, readonly CommitFile[]> | undefined> {
  const kept: CommitFile[] = [];
  for await (const files of batches) {
    if (kept.length + files.length > maxKeptFiles) return undefined;
    for (const file of files) kept.push(file);
  }
  return grouped(kept, ({ commit }) => commit);
}

async function listFastForwards(gitRepository: GitRepository, moves: readonly RuledMove[]): Promise<ReadonlySet<string>> {
  const pairs = moves.flatMap(({ ref, before, after }) =>
    before === null || after === null ? [] : [{ ref, ancestor: before, descendant: after }],
  );
  const are = await areAncestors(gitRepository, pairs);
  return new Set([
    ...moves.filter((move) => kindOfMove(move) !== 'update').map(({ ref }) => ref),
    ...pairs.filter((_, at) => are[at]).map(({ ref }) => ref),
  ]);
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let known: Promise<T> | undefined;
  return () => {
    known ??= work();
    return known;
  };
}
