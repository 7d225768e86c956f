// The assignees of an issue: assigning, unassigning and replacing them. What happens is returned, to be told.
import type { RepoStep } from '#access/step.ts';
import type { Account, Repo } from '#access/viewer.ts';
import type { Db, Tx } from '#database/connect.ts';
import { keyed } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { invalid } from '#lib/refusal.ts';
import { findAssignable } from './assignee-store.ts';
import { checkNumber } from './numbers.ts';
import type { IssueChange } from './schemas.ts';
import { addAssignees, dropAssignees, type IssueRow, listAssignees } from './store.ts';
import { eventOf, type Happening } from './tell.ts';

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
export async function assign(tx: Tx, step: RepoStep, issue: IssueRow, users: readonly Account[]): Promise<Happening[]> {
  const { added, total } = await addAssignees(tx, issue.id, users, step.now);
  checkNumber('assignees', total);
  return added.map((user) => happened(step, issue, 'assigned', user));
}

/** Unassigns users from an issue. */
export async function unassign(tx: Tx, step: RepoStep, issue: IssueRow, users: readonly Id<'accounts'>[]): Promise<Happening[]> {
  const dropped = await dropAssignees(tx, issue.id, users);
  return dropped.map((user) => happened(step, issue, 'unassigned', user));
}

/** Replaces the assignees of an issue. */
export async function replaceAssignees(tx: Tx, step: RepoStep, issue: IssueRow, users: readonly Account[]): Promise<Happening[]> {
  const wanted = new Set(users.map(({ id }) => id));
  const held = await listAssignees(tx, issue.id);
  const leaving = held.filter((id) => !wanted.has(id));
  return [...(await unassign(tx, step, issue, leaving)), ...(await assign(tx, step, issue, users))];
}

const happened = (step: RepoStep, issue: IssueRow, kind: 'assigned' | 'unassigned', user: Id<'accounts'>): Happening => ({
  event: eventOf(step, `issue.${kind}`, { issue: issue.id, user }),
  issueEvent: { event: kind, data: { assignee: user } },
});
