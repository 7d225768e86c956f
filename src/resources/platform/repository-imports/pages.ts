// What is done with a page of each list of the source: the rows are written, in the transaction that moves the import on.

import type { RepositoryRow } from '#access/viewer.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { keyed, unique } from '#lib/collections.ts';
import { fixedValue } from '#lib/limits.ts';
import { conflict } from '#lib/refusal.ts';
import {
  findIssueIds,
  type ImportedIssue,
  insertImportedComments,
  insertImportedIssues,
  issueLimits,
  lockReasons,
  stateReasons,
  states,
} from '#resources/collaboration/issues/index.ts';
import { insertImportedMilestones } from '#resources/collaboration/milestones/index.ts';
import { insertImportedLabels } from '#resources/repositories/labels/index.ts';
import { addImportedIssues } from '#resources/repositories/repositories/index.ts';
import { accountOf, attributed, type People, storable } from './attribution.ts';
import type { SourceComment, SourceIssue, SourceLabel, SourceMilestone } from './schemas.ts';
import { findKnown, type ImportRow, insertItems, lowerMissing } from './store.ts';

/** The repository that is filled, and how the source's people are called here. */
export type Target = { row: ImportRow; repository: RepositoryRow; people: People; host: string };

const maxLabels = fixedValue(issueLimits.labels);
const maxAssignees = fixedValue(issueLimits.assignees);

const dateOf = (text: string | null | undefined): Date | null => (text ? new Date(text) : null);
const textOf = (text: string | null | undefined): string | null => (typeof text === 'string' ? storable(text) : null);
/** One of the words, or null for those that only the source knows. */
const oneOf = <const Word extends string>(words: readonly Word[], text: string | null | undefined): Word | null =>
  words.find((word) => word === text) ?? null;

/** Writes labels. Returns their ids by their names. */
export const writeLabels = (scope: WriteScope, { repository }: Target, labels: readonly SourceLabel[]) =>
  insertImportedLabels(
    scope.tx,
    repository.id,
    labels.map((label) => ({
      name: storable(label.name),
      color: /^[\da-f]{6}$/i.test(label.color) ? label.color.toLowerCase() : 'ededed',
      description: textOf(label.description),
      is_default: label.default ?? false,
    })),
  );

/** Writes milestones. Returns their ids by their numbers. */
export async function writeMilestones(scope: WriteScope, { repository, people }: Target, milestones: readonly SourceMilestone[]) {
  const ids = await insertImportedMilestones(
    scope.tx,
    milestones.map((milestone) => ({
      repository_id: repository.id,
      number: milestone.number,
      title: storable(milestone.title),
      description: textOf(milestone.description),
      state: oneOf(states, milestone.state) ?? 'open',
      creator_id: accountOf(people, milestone.creator),
      due_on: dateOf(milestone.due_on),
      closed_at: dateOf(milestone.closed_at),
      created_at: new Date(milestone.created_at),
      updated_at: new Date(milestone.updated_at),
    })),
  );
  return new Map(milestones.map(({ number }, at) => [number, ids[at]]));
}

/** Writes issues that aren't known yet. Numbers of pull requests stay free. */
export async function writeIssues(scope: WriteScope, target: Target, rows: readonly SourceIssue[]): Promise<void> {
  const { row, repository } = target;
  const issues = rows.filter(({ pull_request }) => pull_request === undefined);
  const known = await findKnown(
    scope.tx,
    row.id,
    'issue',
    issues.map(({ id }) => id),
  );
  const fresh = issues.filter(({ id }) => !known.has(id));
  // Some may have been made since their own lists were read.
  const itsLabels = keyed(
    fresh.flatMap((issue) => issue.labels),
    ({ name }) => name,
  );
  const itsMilestones = keyed(
    fresh.flatMap(({ milestone }) => milestone ?? []),
    ({ number }) => number,
  );
  const labels = await writeLabels(scope, target, [...itsLabels.values()]);
  const milestones = await writeMilestones(scope, target, [...itsMilestones.values()]);
  const imported = fresh.map((issue) => importedIssue(issue, target, { labels, milestones }));
  const ids = await insertImportedIssues(scope.tx, imported, { assignees: 'assignable' });
  const items = fresh.map(({ id, number, comments }, at) => {
    const own = ids[at];
    if (own === undefined) throw conflict(`${repository.name} has got an issue #${number} meanwhile, which the source has too`);
    return { source_id: id, own_id: own, missing_comments: comments };
  });
  await insertItems(scope.tx, row.id, 'issue', items);
  const open = imported.filter(({ row }) => row.state === 'open').length;
  await addImportedIssues(scope.tx, repository.id, { open, highest: Math.max(0, ...rows.map(({ number }) => number)) });
}

function importedIssue(
  issue: SourceIssue,
  { repository, people, host }: Target,
  {
    labels,
    milestones,
  }: { labels: Awaited<ReturnType<typeof writeLabels>>; milestones: Awaited<ReturnType<typeof writeMilestones>> },
): ImportedIssue {
  const state = oneOf(states, issue.state) ?? 'open';
  const isClosed = state === 'closed';
  const isLocked = issue.locked ?? false;
  return {
    row: {
      repository_id: repository.id,
      number: issue.number,
      title: storable(issue.title),
      body: attributed(issue.body, issue.user, { people, host }),
      author_id: accountOf(people, issue.user),
      state,
      state_reason: oneOf(stateReasons, issue.state_reason),
      milestone_id: (issue.milestone && milestones.get(issue.milestone.number)) ?? null,
      locked: isLocked,
      lock_reason: isLocked ? oneOf(lockReasons, issue.active_lock_reason) : null,
      closed_at: isClosed ? (dateOf(issue.closed_at) ?? new Date(issue.updated_at)) : null,
      closed_by: isClosed ? accountOf(people, issue.closed_by) : null,
      created_at: new Date(issue.created_at),
      updated_at: new Date(issue.updated_at),
    },
    labels: unique(issue.labels.map(({ name }) => labels.get(storable(name)))).slice(0, maxLabels),
    assignees: unique((issue.assignees ?? []).map((person) => accountOf(people, person))).slice(0, maxAssignees),
  };
}

/** Writes comments that aren't known yet. Those on pull requests are left out. */
export async function writeComments(
  scope: WriteScope,
  { row, repository, people, host }: Target,
  rows: readonly SourceComment[],
): Promise<void> {
  const numbers = rows.map(({ issue_url }) => Number(/\/issues\/(\d{1,9})$/.exec(issue_url)?.[1] ?? 0));
  const issues = await findIssueIds(scope.tx, repository.id, unique(numbers));
  const known = await findKnown(
    scope.tx,
    row.id,
    'comment',
    rows.map(({ id }) => id),
  );
  const fresh = rows.flatMap((comment, at) => {
    const issue = issues.get(numbers[at] ?? 0);
    return issue === undefined || known.has(comment.id) ? [] : [{ comment, issue }];
  });
  const ids = await insertImportedComments(
    scope.tx,
    fresh.map(({ comment, issue }) => ({
      repository_id: repository.id,
      issue_id: issue,
      author_id: accountOf(people, comment.user),
      body: attributed(comment.body, comment.user, { people, host }) ?? '',
      created_at: new Date(comment.created_at),
      updated_at: new Date(comment.updated_at),
    })),
  );
  const items = fresh.flatMap(({ comment }, at) => ids.slice(at, at + 1).map((own) => ({ source_id: comment.id, own_id: own })));
  await insertItems(scope.tx, row.id, 'comment', items);
  await lowerMissing(
    scope.tx,
    row.id,
    fresh.map(({ issue }) => issue),
  );
}
