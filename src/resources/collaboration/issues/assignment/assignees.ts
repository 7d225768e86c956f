// The assignees of an issue: assigning, unassigning and replacing them. Each function returns the activities to record.

import type { RepositoryAction } from '#access/action.ts';
import type { Account, Repo } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { keyed } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { invalid } from '#lib/refusal.ts';
import { checkNumber } from '../numbers.ts';
import type { IssueChange, SomeAssignees } from '../schemas.ts';
import { addAssignees, dropAssignees, type IssueRow, listAssignees } from '../store.ts';
import { eventOf, type IssueActivity } from '../timeline/activity.ts';
import { findAssignable } from './store.ts';

/** The logins in a list of assignees. Each is a string or an object with a login. */
export const loginsOf = (assignees: SomeAssignees['assignees']): string[] =>
  (assignees ?? []).map((assignee) => (typeof assignee === 'string' ? assignee : assignee.login));

/** The wanted assignees: `assignees`, or else the older field `assignee`; undefined where the body has neither. */
export function wantedAssignees({ assignees, assignee }: Pick<IssueChange, 'assignees' | 'assignee'>): string[] | undefined {
  if (assignees !== undefined) return loginsOf(assignees);
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
export async function assign(
  scope: WriteScope,
  action: RepositoryAction,
  issue: IssueRow,
  users: readonly Account[],
): Promise<IssueActivity[]> {
  const { added, total } = await addAssignees(scope.tx, issue.id, users, action.now);
  checkNumber('assignees', total);
  return activitiesOfAssignees(action, issue, added);
}

/** The activities for users who were assigned to an issue. */
export const activitiesOfAssignees = (
  action: RepositoryAction,
  issue: IssueRow,
  added: readonly Id<'accounts'>[],
): IssueActivity[] => added.map((user) => activityOf(action, issue, 'assigned', user));

/** Unassigns users from an issue. */
export async function unassign(
  scope: WriteScope,
  action: RepositoryAction,
  issue: IssueRow,
  users: readonly Id<'accounts'>[],
): Promise<IssueActivity[]> {
  const dropped = await dropAssignees(scope.tx, issue.id, users);
  return dropped.map((user) => activityOf(action, issue, 'unassigned', user));
}

/** Replaces the assignees of an issue. */
export async function replaceAssignees(
  scope: WriteScope,
  action: RepositoryAction,
  issue: IssueRow,
  users: readonly Account[],
): Promise<IssueActivity[]> {
  const wanted = new Set(users.map(({ id }) => id));
  const current = await listAssignees(scope.tx, issue.id);
  const surplus = current.filter((id) => !wanted.has(id));
  return [...(await unassign(scope, action, issue, surplus)), ...(await assign(scope, action, issue, users))];
}

const activityOf = (
  action: RepositoryAction,
  issue: IssueRow,
  kind: 'assigned' | 'unassigned',
  user: Id<'accounts'>,
): IssueActivity => ({
  event: eventOf(action, issue, kind, { user }),
  issueEvent: { event: kind, data: { assignee: user } },
});
