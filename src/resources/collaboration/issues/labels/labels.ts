// The labels of an issue: adding, removing and replacing them. Each function returns the activities to record.

import type { RepositoryAction } from '#access/action.ts';
import type { Repo } from '#access/viewer.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { gather } from '#lib/collections.ts';
import { findOrMakeLabels, type LabelRow } from '#resources/repositories/labels/index.ts';
import { checkNumber } from '../numbers.ts';
import type { NewIssue } from '../schemas.ts';
import { addLabels, dropLabels, type IssueRow, listIssueLabels } from '../store.ts';
import { eventOf, type IssueActivity } from '../timeline/activity.ts';

/** The names in a list of labels. Each is a string or an object with a name. */
export const labelNames = (labels: NewIssue['labels']): string[] =>
  (labels ?? []).map((label) => (typeof label === 'string' ? label : label.name));

/** The labels with these names. Those that the repository doesn't have are created. */
export const wantedLabels = (scope: WriteScope, repo: Pick<Repo, 'id'>, names: readonly string[]): Promise<LabelRow[]> =>
  findOrMakeLabels(
    scope.tx,
    repo.id,
    names.map((name) => name.trim()).filter((name) => name !== ''),
  );

/** Adds labels to an issue. */
async function putLabels(
  scope: WriteScope,
  action: RepositoryAction,
  issue: IssueRow,
  labels: readonly LabelRow[],
): Promise<IssueActivity[]> {
  const { added: ids, total } = await addLabels(scope.tx, issue.id, labels);
  checkNumber('labels', total);
  const added = new Set(ids);
  return activitiesOfLabels(
    action,
    issue,
    labels.filter(({ id }) => added.has(id)),
  );
}

/** The activities for labels that were added to an issue. */
export const activitiesOfLabels = (action: RepositoryAction, issue: IssueRow, added: readonly LabelRow[]): IssueActivity[] =>
  added.map((label) => activityOf(action, issue, 'labeled', label));

/** Adds the labels with these names to an issue. */
export const labelIssue = async (
  scope: WriteScope,
  action: RepositoryAction,
  issue: IssueRow,
  names: readonly string[],
): Promise<IssueActivity[]> => putLabels(scope, action, issue, await wantedLabels(scope, action.repo, names));

/** Removes labels from an issue. */
export async function unlabelIssue(
  scope: WriteScope,
  action: RepositoryAction,
  issue: IssueRow,
  labels: readonly LabelRow[],
): Promise<IssueActivity[]> {
  const ids = labels.map(({ id }) => id);
  const dropped = new Set(await dropLabels(scope.tx, issue.id, ids));
  return labels.filter(({ id }) => dropped.has(id)).map((label) => activityOf(action, issue, 'unlabeled', label));
}

/** Replaces the labels of an issue. */
export async function replaceLabels(
  scope: WriteScope,
  action: RepositoryAction,
  issue: IssueRow,
  names: readonly string[],
): Promise<IssueActivity[]> {
  const [current, wanted] = await Promise.all([listIssueLabels(scope.tx, issue.id), wantedLabels(scope, action.repo, names)]);
  const kept = new Set(gather(wanted, 'id'));
  const surplus = current.filter(({ id }) => !kept.has(id));
  const activities = await Promise.all([unlabelIssue(scope, action, issue, surplus), putLabels(scope, action, issue, wanted)]);
  return activities.flat();
}

const activityOf = (
  action: RepositoryAction,
  issue: IssueRow,
  kind: 'labeled' | 'unlabeled',
  { id, name, color }: LabelRow,
): IssueActivity => ({
  event: eventOf(action, issue, kind, { label: id }),
  issueEvent: { event: kind, data: { label: { name, color } } },
});
