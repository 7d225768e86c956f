import type { RepoStep } from '#access/step.ts';
// The assignees of an issue: assigning, unassigning and replacing them.
import type { Account, Repo } from '#access/viewer.ts';
import type { Db, Tx } from '#database/connect.ts';
import { keyed } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { invalid } from '#lib/refusal.ts';
import { findAssignable } from './assignee-store.ts';
import type { IssueChange } from './schemas.ts';
import { addAssignees, dropAssignees, type IssueRow, listAssignees } from './store.ts';
import { eventOf, tellAll } from './tell.ts';

/** The wanted assignees: `assignees`, or else the older field `assignee`; undefined where the body has neither. */
export function wantedAssignees({ assignees, assignee }: Pick<IssueChange, 'assignees' | 'assignee'>): string[] | undefined {
  if (assignees !== undefined) return assignees;
  if (assignee === undefined) return undefined;
  return assignee === null || assignee === '' ? [] : [assignee];
}

/** The users with these logins. Refuses those who can't be assigned. */
export async function assignable(db: Db, repo: Repo, logins: readonly string[]): Promise<Account[]> {
  const users = await findAssignable(db, repo, logins);
  const known = keyed(users, ({ login }) => login.toLowerCase());
  const wrong = logins.find((login) => !known.has(login.toLowerCase()));
  if (wrong !== undefined) throw invalid('Issue', 'assignees', 'invalid', `${wrong} can't be assigned here`);
  return users;
}

/** Assigns users to an issue. */
export async function assign(tx: Tx, step: RepoStep, issue: IssueRow, users: readonly Account[]): Promise<void> {
  const added = await addAssignees(tx, issue.id, users, step.now);
  await tellAll(tx, step, issue, {
    things: added,
    event: (user) => eventOf(step, 'issue.assigned', { issue: issue.id, user }),
    own: (assignee) => ({ event: 'assigned', data: { assignee } }),
  });
}

/** Unassigns users from an issue. */
export async function unassign(tx: Tx, step: RepoStep, issue: IssueRow, users: readonly Id<'accounts'>[]): Promise<void> {
  const dropped = await dropAssignees(tx, issue.id, users);
  await tellAll(tx, step, issue, {
    things: dropped,
    event: (user) => eventOf(step, 'issue.unassigned', { issue: issue.id, user }),
    own: (assignee) => ({ event: 'unassigned', data: { assignee } }),
  });
}

/** Replaces the assignees of an issue. */
export async function replaceAssignees(tx: Tx, step: RepoStep, issue: IssueRow, users: readonly Account[]): Promise<void> {
  const wanted = new Set(users.map(({ id }) => id));
  const held = await listAssignees(tx, issue.id);
  await unassign(
    tx,
    step,
    issue,
    held.filter((id) => !wanted.has(id)),
  );
  await assign(tx, step, issue, users);
}
