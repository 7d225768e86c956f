// Whether a closed pull request may be opened again, which depends on its branches.

import type { Scope, WriteScope } from '#endpoint/scope.ts';
import { withAlternate } from '#git/objects/alternates.ts';
import { findBranch } from '#git/refs/refs.ts';
import { isAncestor } from '#git/refs/resolve.ts';
import { repoOf } from '#git/store.ts';
import { invalid, type Refusal } from '#lib/refusal.ts';
import { findEnds, hasOpenTwin, type IssueRow } from './store.ts';

const refused = (message: string): Refusal => invalid('PullRequest', 'state', 'invalid', `state cannot be changed. ${message}`);

const isReopened = (issue: IssueRow, state: string | undefined): boolean =>
  issue.is_pull_request && issue.state === 'closed' && state === 'open';

/**
 * Refuses to open a pull request again of which a branch is gone, whose head lost commits meanwhile, or has nothing any more that
 * the base hasn't. It asks Git, and so comes before the transaction.
 * @throws Refusal 422
 */
export async function prepareReopening({ db, git }: Scope, issue: IssueRow, state: string | undefined): Promise<void> {
  if (!isReopened(issue, state) || issue.merged_at !== null) return;
  const ends = await findEnds(db, issue.id);
  // The transaction refuses a head whose repository is gone.
  if (!ends || ends.head_repository_id === null) return;
  const gitRepository = repoOf(git, issue.repository_id);
  const headDisk = repoOf(git, ends.head_repository_id);
  const [base, head] = await Promise.all([findBranch(gitRepository, ends.base_ref), findBranch(headDisk, ends.head_ref)]);
  const missing = base ? (head ? undefined : ends.head_ref) : ends.base_ref;
  if (missing !== undefined) throw refused(`The ${missing} branch has been deleted.`);
  if (!base || !head) return;
  const both = issue.repository_id === ends.head_repository_id ? gitRepository : withAlternate(gitRepository, headDisk);
  if (!(await isAncestor(both, ends.head_sha, head.oid)))
    throw refused(`The ${ends.head_ref} branch was force-pushed or recreated.`);
  if (await isAncestor(both, head.oid, base.oid)) throw refused(`There are no new commits on the ${ends.head_ref} branch.`);
}

/** Refuses to open a pull request again that was merged, or whose head is gone. */
export async function checkReopening(scope: WriteScope, issue: IssueRow, state: string | undefined): Promise<void> {
  if (!isReopened(issue, state)) return;
  if (issue.merged_at !== null) throw refused('The pull request was merged.');
  const ends = await findEnds(scope.tx, issue.id);
  if (ends && (ends.head_is_deleted || ends.head_repository_id === null))
    throw refused(`The ${ends.head_ref} branch has been deleted.`);
}

/**
 * Refuses a pull request that was opened again while another one between the same branches is open. The repository is locked, so
 * that concurrent requests see each other.
 */
export async function checkOnlyOne(scope: WriteScope, issue: IssueRow): Promise<void> {
  if (!issue.is_pull_request || issue.state === 'closed' || !(await hasOpenTwin(scope.tx, issue))) return;
  throw refused('Another pull request between its branches is open.');
}
