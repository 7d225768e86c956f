import type { RepositoryAction } from '#access/action.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { type IssueRow, updateIssue } from '../store.ts';
import { eventOf, recordActivity } from '../timeline/activity.ts';

/** Locks the conversation of an issue: from then on, only those who may write to the repository can comment. */
export async function lockIssue(
  scope: WriteScope,
  action: RepositoryAction,
  issue: IssueRow,
  reason: IssueRow['lock_reason'],
): Promise<void> {
  if (issue.locked && issue.lock_reason === reason) return;
  const locked = await updateIssue(scope.tx, issue.id, { locked: true, lock_reason: reason, updated_at: action.now });
  if (issue.locked) return;
  const event = eventOf(action, issue, 'locked', {});
  await recordActivity(scope, action, locked, [{ event, issueEvent: { event: 'locked', data: { lock_reason: reason } } }]);
}

export async function unlockIssue(scope: WriteScope, action: RepositoryAction, issue: IssueRow): Promise<void> {
  if (!issue.locked) return;
  const unlocked = await updateIssue(scope.tx, issue.id, { locked: false, lock_reason: null, updated_at: action.now });
  const event = eventOf(action, issue, 'unlocked', {});
  await recordActivity(scope, action, unlocked, [{ event, issueEvent: { event: 'unlocked' } }]);
}
