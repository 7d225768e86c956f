// What a review needs of Git, found before its transaction: its commit, and where its comments lie.
import type { Scope } from '#endpoint/scope.ts';
import { areAncestors } from '#git/history/ancestors.ts';
import type { Oid } from '#git/objects/oid.ts';
import { findMergeBase } from '#git/refs/resolve.ts';
import type { GitRepository } from '#git/repo.ts';
import { repoOf } from '#git/store.ts';
import { conflict, invalid } from '#lib/refusal.ts';
import type { PullRow } from '#resources/collaboration/pulls/index.ts';
import { areCommits, type CommentLocation, findLocations, findPresentLocations, type WantedLocation } from './locations.ts';
import type { ReviewCommentRow } from './store.ts';

/** Where a new comment is: in the diff of its commit, and in the present one. */
export type FoundLocation = CommentLocation & Pick<ReviewCommentRow, 'commit_sha' | 'position' | 'line' | 'start_line'>;

/** A commit of a pull request, and locations in its diff. They hold as long as the pull request has the same diff. */
export type Draft = Pick<PullRow, 'head_sha' | 'merge_base_sha'> & {
  readonly commit: Oid;
  readonly locations: readonly FoundLocation[];
};

/**
 * Finds the commit that is reviewed, the head where none is named, and the locations of comments in its diff.
 * @throws Refusal 422 where the commit isn't the pull request's, or a location isn't in the diff
 */
export async function prepareDraft(
  { git }: Scope,
  pull: PullRow,
  { commit_id, locations }: { commit_id?: string | undefined; locations: readonly WantedLocation[] },
): Promise<Draft> {
  const { head_sha, merge_base_sha } = pull;
  const commit = commit_id ?? head_sha;
  const gitRepository = repoOf(git, pull.repository_id);
  const from = commit === head_sha ? merge_base_sha : await getBaseOf(gitRepository, pull, commit);
  const found = await findLocations(gitRepository, { from, to: commit }, locations);
  const present =
    commit === head_sha ? undefined : await findPresentLocations(gitRepository, { from: merge_base_sha, to: head_sha }, found);
  return {
    head_sha,
    merge_base_sha,
    commit,
    locations: found.map((location, at) => ({ ...location, ...presentOf(location, head_sha, present?.[at]) })),
  };
}

function presentOf(
  location: CommentLocation,
  head: Oid,
  present: Pick<FoundLocation, 'position' | 'line' | 'start_line'> | undefined,
) {
  const { original_commit_sha, original_position, original_line, original_start_line } = location;
  if (!present) return { commit_sha: head, position: original_position, line: original_line, start_line: original_start_line };
  return { commit_sha: present.position === null ? original_commit_sha : head, ...present };
}

/** What an earlier commit of a pull request is compared with. @throws Refusal 422 where it isn't one */
async function getBaseOf(gitRepository: GitRepository, { head_sha, merge_base_sha }: PullRow, commit: Oid): Promise<Oid> {
  const [isInHead, isInBase] = (await areCommits(gitRepository, [commit]))
    ? await areAncestors(gitRepository, [
        { ancestor: commit, descendant: head_sha },
        { ancestor: commit, descendant: merge_base_sha },
      ])
    : [false];
  const base = isInHead && !isInBase ? await findMergeBase(gitRepository, merge_base_sha, commit) : undefined;
  if (base === undefined) throw invalid('PullRequestReview', 'commit_id', 'custom', 'commit_id is not part of the pull request');
  return base;
}

/** @throws Refusal 409 where the diff has changed since the locations were found */
export function checkStillHolds(draft: Draft, pull: PullRow): void {
  if (draft.head_sha !== pull.head_sha || draft.merge_base_sha !== pull.merge_base_sha)
    throw conflict('The pull request has got new commits. Try again.');
}
