// What Git says of the two ends of a pull request: how far they are apart, and what differs.
import { isGitError } from '#git/errors.ts';
import { compareCommits, listAhead } from '#git/history/compare.ts';
import { diffTrees } from '#git/history/diff.ts';
import { mergeCommits } from '#git/history/merge.ts';
import { openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import { isAncestor } from '#git/refs/resolve.ts';
import type { GitRepository } from '#git/repo.ts';
import { gather } from '#lib/collections.ts';
import type { PullRow } from './store.ts';

export type Changes = Pick<PullRow, 'merge_base_sha' | 'commits_count' | 'additions' | 'deletions' | 'changed_files'>;

/** The public API shows so many commits of a pull request. Further ones are in the list of commits of its branch. */
export const maxCommits = 250;

/** The changes that a head brings to a base, and its commits, oldest first; undefined for histories without a common commit. */
export async function changesBetween(
  gitRepository: GitRepository,
  { base, head }: { base: Oid; head: Oid },
): Promise<{ changes: Changes; commits: Oid[] } | undefined> {
  // Held until the end: the reader of a fork's objects would be started anew for each step.
  await using _reader = await openObjects(gitRepository);
  const { mergeBase, ahead } = await compareCommits(gitRepository, { base, head });
  if (mergeBase === undefined) return undefined;
  const [{ files, additions, deletions }, commits] = await Promise.all([
    diffTrees(gitRepository, { from: mergeBase, to: head, patchSize: 0 }),
    listAhead(gitRepository, { base, head, ahead, limit: maxCommits }),
  ]);
  const changes = { merge_base_sha: mergeBase, commits_count: ahead, additions, deletions, changed_files: files.length };
  return { changes, commits: gather(commits, 'oid') };
}

/**
 * Whether another head brings the changes of the one before: its files are what a merge of its base into that one makes, as after
 * a merge of the base or a rebase. Where Git can't tell, it doesn't.
 */
export async function bringsSameChanges(
  gitRepository: GitRepository,
  before: Pick<PullRow, 'merge_base_sha' | 'head_sha'>,
  after: Pick<PullRow, 'merge_base_sha' | 'head_sha'>,
): Promise<boolean> {
  // What the base has lost since would come back by a head that begins further down.
  if (!(await isAncestor(gitRepository, before.merge_base_sha, after.merge_base_sha))) return false;
  await using reader = await openObjects(gitRepository);
  const found = await reader.findCommits([before.head_sha, after.head_sha]);
  const tree = found.get(after.head_sha)?.tree;
  if (!found.has(before.head_sha) || tree === undefined) return false;
  try {
    return (await mergedTree(gitRepository, before, after.merge_base_sha)) === tree;
  } catch (error) {
    if (isGitError(error, 'too-large') || isGitError(error, 'timeout')) return false;
    throw error;
  }
}

/** The files of a merge of a pull request into a commit of its base; undefined where they conflict. */
export async function mergedTree(
  gitRepository: GitRepository,
  { merge_base_sha, head_sha }: Pick<PullRow, 'merge_base_sha' | 'head_sha'>,
  base: Oid,
): Promise<Oid | undefined> {
  if (merge_base_sha === base) {
    await using reader = await openObjects(gitRepository);
    return (await reader.getCommit(head_sha)).tree;
  }
  const merged = await mergeCommits(gitRepository, { ours: base, theirs: head_sha });
  return merged.merged ? merged.tree : undefined;
}
