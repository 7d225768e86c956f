// What Git says of the two ends of a pull request: how far they are apart, and what differs.
import { compareCommits } from '#git/history/compare.ts';
import { diffTrees } from '#git/history/diff.ts';
import type { Oid } from '#git/objects/oid.ts';
import type { Repo as Disk } from '#git/repo.ts';
import type { PullRow } from './store.ts';

export type Changes = Pick<PullRow, 'merge_base_sha' | 'commits_count' | 'additions' | 'deletions' | 'changed_files'>;

/** The changes that a head brings to a base; undefined for histories without a common commit. */
export async function changesBetween(disk: Disk, { base, head }: { base: Oid; head: Oid }): Promise<Changes | undefined> {
  const { mergeBase, ahead } = await compareCommits(disk, { base, head });
  if (mergeBase === undefined) return undefined;
  const { files, additions, deletions } = await diffTrees(disk, { from: mergeBase, to: head, patchSize: 0 });
  return { merge_base_sha: mergeBase, commits_count: ahead, additions, deletions, changed_files: files.length };
}
