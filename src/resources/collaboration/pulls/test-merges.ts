// Whether open pull requests can be merged: tested in Git without a work tree, whenever one of their two branches moves.

import type { ChangeScope, Needs, Scope } from '#endpoint/scope.ts';
import { isGitError } from '#git/errors.ts';
import { hasMerges, rebaseCommits } from '#git/history/rebase.ts';
import { type ObjectReader, openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import { commitBytes, writeObjects } from '#git/objects/write-objects.ts';
import { branchRef } from '#git/refs/ref-name.ts';
import { findBranch } from '#git/refs/refs.ts';
import { mustUpdateRefs, type RefChange } from '#git/refs/update-refs.ts';
import type { GitRepository } from '#git/repo.ts';
import { repoOf, repositoryExists } from '#git/store.ts';
import { chunks, gather, unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { countUnsuccessfulRuns } from '#resources/code/checks/index.ts';
import { countStates } from '#resources/code/commit-statuses/index.ts';
import { findMergeObstacle } from '#resources/code/ref-rules/index.ts';
import type { RuledRepository } from '#resources/code/rulesets/index.ts';
import { mergedTree } from './changes.ts';
import { headRef, mergeRef } from './refs.ts';
import type { mergeableStates } from './schemas.ts';
import { type PullRow, saveTests } from './store.ts';

/** What is known of the merge of a pull request. Nulls: it isn't open, or is being tested. */
export type Testing = {
  mergeable: boolean | null;
  rebaseable: boolean | null;
  state: (typeof mergeableStates)[number];
  mergeCommit: string | null;
};

/**
 * What is known of the merge of a pull request into its repository. A test of commits that its branches don't have any more
 * doesn't count.
 */
export async function testingOf(scope: Scope & Needs<'refRules'>, repo: RuledRepository, row: PullRow): Promise<Testing> {
  const unknown = { mergeable: null, rebaseable: null, state: 'unknown', mergeCommit: row.merge_commit_sha } as const;
  if (row.state === 'closed') return unknown;
  const head = { repository: row.repository_id, commit: row.head_sha };
  const { db, git } = scope;
  const gitRepository = repoOf(git, row.repository_id);
  const base = await findBranch(gitRepository, row.base_ref);
  const isTested = row.is_mergeable !== null && row.tested_base_sha === base?.oid && row.tested_head_sha === row.head_sha;
  if (!isTested) return unknown;
  const wanted = {
    repo,
    merge: row,
    move: { ref: branchRef(row.base_ref), before: base?.oid ?? null, after: row.merge_commit_sha ?? row.head_sha },
  };
  const [statuses, unsuccessfulRuns, obstacle] = await Promise.all([
    countStates(db, head),
    countUnsuccessfulRuns(db, head),
    findMergeObstacle(scope, gitRepository, wanted),
  ]);
  const { is_mergeable: mergeable, is_rebaseable: rebaseable, merge_commit_sha: mergeCommit } = row;
  const isUnstable = statuses.failed > 0 || statuses.pending > 0 || unsuccessfulRuns > 0;
  const state = !mergeable ? 'dirty' : row.is_draft ? 'draft' : (obstacle ?? (isUnstable ? 'unstable' : 'clean'));
  return { mergeable, rebaseable, state, mergeCommit };
}

/** The result of a test: the tested commits, and the commit of the test merge where there is one. */
type MergeTest = {
  issue: Id<'issues'>;
  base: Oid;
  head: Oid;
  mergeable: boolean;
  rebaseable: boolean;
  commit: Oid | null;
};

/** Tests that run at the same time. */
const maxConcurrent = 4;

/**
 * Tests the merges of open pull requests of a repository, and points their refs to the results. Those that were tested are
 * skipped.
 */
export async function testMerges(
  { git, change }: ChangeScope,
  repository: Id<'repositories'>,
  rows: readonly PullRow[],
): Promise<void> {
  const gitRepository = repoOf(git, repository);
  if (rows.length === 0 || !(await repositoryExists(gitRepository))) return;
  await using reader = await openObjects(gitRepository);
  const names = unique(rows.map(({ base_ref }) => base_ref));
  const found = await Promise.all(names.map(async (name) => [name, await reader.findInfo(branchRef(name))] as const));
  const tips = new Map(found);
  const tests: (MergeTest & { number: number; tree: Oid | undefined })[] = [];
  for (const some of chunks(rows, maxConcurrent)) {
    const done = await Promise.all(
      some.map(async (row) => {
        const base = tips.get(row.base_ref)?.oid;
        const isTested = row.tested_base_sha === base && row.tested_head_sha === row.head_sha;
        return base === undefined || isTested ? [] : testIfPossible({ gitRepository, reader }, row, base);
      }),
    );
    tests.push(...done.flat());
  }
  const written = await writeTestMerges({ gitRepository, reader }, tests);
  await mustUpdateRefs(gitRepository, await refChangesOf(reader, written));
  await change((scope) => saveTests(scope.tx, written));
}

type Reading = { gitRepository: GitRepository; reader: ObjectReader };

/** The test of a merge; none where Git reaches a limit, so that the others are tested all the same. */
async function testIfPossible(reading: Reading, row: PullRow, base: Oid) {
  try {
    return [await testMerge(reading, row, base)];
  } catch (error) {
    if (isGitError(error, 'too-large') || isGitError(error, 'timeout')) return [];
    throw error;
  }
}

async function testMerge({ gitRepository, reader }: Reading, row: PullRow, base: Oid) {
  const head = row.head_sha;
  const test = { issue: row.id, number: row.number, base, head, commit: null };
  const tree = await mergedTree(gitRepository, row, base);
  if (tree === undefined) return { ...test, mergeable: false, rebaseable: false, tree };
  const ends = { onto: base, head };
  const isOnTop = async () => row.merge_base_sha === base && !(await hasMerges(gitRepository, ends));
  const rebaseable =
    row.commits_count === 1 || (await isOnTop()) || (await canRebase({ gitRepository, reader }, { ...ends, tree }));
  return { ...test, mergeable: true, rebaseable, tree };
}

async function canRebase({ gitRepository, reader }: Reading, wanted: { onto: Oid; head: Oid; tree: Oid }): Promise<boolean> {
  const { committer } = await reader.getCommit(wanted.head);
  return (await rebaseCommits(gitRepository, { ...wanted, committer })).rebased;
}

/** Writes the commits of test merges, all together. The same two commits have the same merge whenever it is tested. */
async function writeTestMerges<Test extends MergeTest & { tree: Oid | undefined }>(
  { gitRepository, reader }: Reading,
  tests: readonly Test[],
): Promise<Test[]> {
  const merged = tests.filter(({ tree }) => tree !== undefined);
  const heads = await reader.getCommits(gather(merged, 'head'));
  const objects = merged.map(({ base, head, tree = '' }, at) => {
    const by = heads[at]?.committer;
    if (!by) throw new Error('The head of a pull request was not read');
    const message = `Merge ${head} into ${base}`;
    return { type: 'commit' as const, data: commitBytes({ tree, parents: [base, head], author: by, committer: by, message }) };
  });
  const oids = objects.length === 0 ? [] : await writeObjects(gitRepository, objects);
  const commits = new Map(merged.map(({ issue }, at) => [issue, oids[at] ?? null]));
  return tests.map((test) => ({ ...test, commit: commits.get(test.issue) ?? null }));
}

/** A pull request that can't be merged has no ref of its merge. */
async function refChangesOf(reader: ObjectReader, tests: readonly (MergeTest & { number: number })[]): Promise<RefChange[]> {
  const changes = await Promise.all(
    tests.map(async ({ number, head, commit }): Promise<RefChange[]> => {
      const ref = mergeRef(number);
      const isStale = commit === null && (await reader.findInfo(ref)) !== undefined;
      return [
        { ref: headRef(number), to: head },
        ...(commit === null ? [] : [{ ref, to: commit }]),
        ...(isStale ? [{ ref, to: null }] : []),
      ];
    }),
  );
  return changes.flat();
}
