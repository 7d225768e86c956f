import type { RepoStep } from '#access/step.ts';
// The labels of an issue: adding, removing and replacing them.
import type { Tx } from '#database/connect.ts';
import { findOrMakeLabels, type LabelRow } from '#resources/labels/index.ts';
import type { NewIssue } from './schemas.ts';
import { addLabels, dropLabels, type IssueRow, listIssueLabels } from './store.ts';
import { eventOf, tellAll } from './tell.ts';

/** The names in a list of labels. Each is a string or an object with a name. */
export const labelNames = (labels: NewIssue['labels']): string[] =>
  (labels ?? []).map((label) => (typeof label === 'string' ? label : label.name));

/** Adds labels to an issue. Labels that the repository doesn't have are created. */
export async function putLabels(tx: Tx, step: RepoStep, issue: IssueRow, names: readonly string[]): Promise<void> {
  const labels = await findOrMakeLabels(
    tx,
    step.repo.id,
    names.map((name) => name.trim()).filter((name) => name !== ''),
  );
  const added = new Set(await addLabels(tx, issue.id, labels));
  await tellAll(tx, step, issue, {
    things: labels.filter(({ id }) => added.has(id)),
    event: ({ id }) => eventOf(step, 'issue.labeled', { issue: issue.id, label: id }),
    own: ({ name, color }) => ({ event: 'labeled', data: { label: { name, color } } }),
  });
}

/** Removes labels from an issue. Returns how many it had. */
export async function takeLabels(tx: Tx, step: RepoStep, issue: IssueRow, labels: readonly LabelRow[]): Promise<number> {
  const ids = labels.map(({ id }) => id);
  const dropped = new Set(await dropLabels(tx, issue.id, ids));
  await tellAll(tx, step, issue, {
    things: labels.filter(({ id }) => dropped.has(id)),
    event: ({ id }) => eventOf(step, 'issue.unlabeled', { issue: issue.id, label: id }),
    own: ({ name, color }) => ({ event: 'unlabeled', data: { label: { name, color } } }),
  });
  return dropped.size;
}

/** Replaces the labels of an issue. */
export async function replaceLabels(tx: Tx, step: RepoStep, issue: IssueRow, names: readonly string[]): Promise<void> {
  const wanted = new Set(names.map((name) => name.trim().toLowerCase()));
  const held = await listIssueLabels(tx, issue.id);
  const leaving = held.filter(({ name }) => !wanted.has(name.toLowerCase()));
  await takeLabels(tx, step, issue, leaving);
  await putLabels(tx, step, issue, names);
}
