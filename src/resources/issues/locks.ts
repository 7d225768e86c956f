import type { RepoStep } from '#access/step.ts';
import type { Tx } from '#database/connect.ts';
import { type IssueRow, updateIssue } from './store.ts';
import { eventOf, tell } from './tell.ts';

/** Locks the conversation of an issue: from then on, only those who may write to the repository can comment. */
export async function lockIssue(tx: Tx, step: RepoStep, issue: IssueRow, reason: IssueRow['lock_reason']): Promise<void> {
  if (issue.locked && issue.lock_reason === reason) return;
  const locked = await updateIssue(tx, issue.id, { locked: true, lock_reason: reason, updated_at: step.now });
  if (issue.locked) return;
  const event = eventOf(step, 'issue.locked', { issue: issue.id });
  await tell(tx, step, locked, [{ event, issueEvent: { event: 'locked', data: { lock_reason: reason } } }]);
}

export async function unlockIssue(tx: Tx, step: RepoStep, issue: IssueRow): Promise<void> {
  if (!issue.locked) return;
  const unlocked = await updateIssue(tx, issue.id, { locked: false, lock_reason: null, updated_at: step.now });
  const event = eventOf(step, 'issue.unlocked', { issue: issue.id });
  await tell(tx, step, unlocked, [{ event, issueEvent: { event: 'unlocked' } }]);
}
