// What a merge changes beside its base branch: the pull request, its events, and the issues that its text closes.
import type { Tx } from '#database/connect.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record, recordEach } from '#events/record.ts';
import type { Id } from '#lib/id.ts';
import { closeIssues, insertIssueEvents, updateIssue } from '#resources/collaboration/issues/index.ts';
import type { FollowedMove } from '#resources/follow-ups.ts';
import { addOpenIssues } from '#resources/repositories/repositories/index.ts';
import { findPullForUpdate, listClosingForUpdate, type PullRow, updatePull } from './store.ts';

/** A pull request that is being merged. */
type Merging = { pull: PullRow; closing: readonly Id<'issues'>[] };

/**
 * Locks a pull request and the issues that its text closes, which come before their repository; undefined where it was merged
 * already.
 */
export async function lockMerging(tx: Tx, issue: Id<'issues'>): Promise<Merging | undefined> {
  const pull = await findPullForUpdate(tx, { id: issue });
  return pull && pull.merged_at === null ? { pull, closing: await listClosingForUpdate(tx, pull) } : undefined;
}

/** The new commit of the base branch, the app that somebody merged with, and the head whose changes the commit has. */
type Merge = { commit: string; app: Id<'apps'> | null; head: string };

/**
 * Records that a pull request was merged, and closes the issues that its text closes, if it was merged into the default branch.
 */
export async function recordMerge(
  scope: WriteScope,
  { repo, actor, now }: FollowedMove,
  { pull, closing }: Merging,
  { commit, app, head }: Merge,
): Promise<void> {
  const { tx } = scope;
  const issue = pull.id;
  const isOpen = pull.state === 'open';
  await updateIssue(tx, issue, {
    state: 'closed',
    merged_at: now,
    closed_at: pull.closed_at ?? now,
    closed_by: actor ?? null,
    updated_at: now,
  });
  // What was pushed meanwhile isn't merged, and its branch isn't deleted as if it were.
  await updatePull(tx, issue, { merge_commit_sha: commit, merged_by: actor ?? null, head_sha: head });
  const event = { owner: repo.owner_id, repository: repo.id, actor, at: now };
  const context = { repository: repo.id, actor: actor ?? null, app, at: now };
  await insertIssueEvents(tx, { ...context, issue }, [
    { event: 'merged', commit },
    ...(isOpen ? [{ event: 'closed' as const }] : []),
  ]);
  await record(tx, { ...event, kind: 'pull_request.closed', data: { issue } });
  const wanted = pull.base_ref === repo.default_branch ? closing : [];
  const closed = await closeIssues(tx, wanted, { repository: repo.id, actor, at: now });
  for (const closedIssue of closed)
    await insertIssueEvents(tx, { ...context, issue: closedIssue }, [
      { event: 'closed', data: { state_reason: 'completed' }, commit },
    ]);
  await recordEach(tx, closed, (closedIssue) => ({ ...event, kind: 'issue.closed', data: { issue: closedIssue } }));
  addOpenIssues(tx, repo.id, -(closed.length + (isOpen ? 1 : 0)));
}
