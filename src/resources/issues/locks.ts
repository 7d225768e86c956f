import type { RepoStep } from '#access/step.ts';
import type { Tx } from '#database/connect.ts';
import { record } from '#events/record.ts';
import { insertIssueEvents } from './event-store.ts';
import { holdFor } from './rules.ts';
import type { IssueRow } from './store.ts';
import { updateIssue } from './store.ts';
import { aboutOf, eventOf } from './tell.ts';

/** Locks the conversation of an issue: from then on, only those who may write to the repository can comment. */
export async function lockIssue(tx: Tx, step: RepoStep & { number: number; reason: IssueRow['lock_reason'] }): Promise<void> {
  const issue = await holdFor(tx, step.repo, step.number);
  if (issue.locked && issue.lock_reason === step.reason) return;
  await updateIssue(tx, issue.id, { locked: true, lock_reason: step.reason, updated_at: step.now });
  if (issue.locked) return;
  await record(tx, eventOf(step, 'issue.locked', { issue: issue.id }));
  await insertIssueEvents(tx, aboutOf(step, issue), [{ event: 'locked', data: { lock_reason: step.reason } }]);
}

export async function unlockIssue(tx: Tx, step: RepoStep & { number: number }): Promise<void> {
  const issue = await holdFor(tx, step.repo, step.number);
  if (!issue.locked) return;
  await updateIssue(tx, issue.id, { locked: false, lock_reason: null, updated_at: step.now });
  await record(tx, eventOf(step, 'issue.unlocked', { issue: issue.id }));
  await insertIssueEvents(tx, aboutOf(step, issue), [{ event: 'unlocked' }]);
}
