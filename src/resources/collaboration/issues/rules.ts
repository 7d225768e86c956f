import { isDeepStrictEqual } from 'node:util';
import type { RepositoryAction } from '#access/action.ts';
import { reaches } from '#access/roles.ts';
import type { Repo, SignedIn } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { gather } from '#lib/collections.ts';
import { asId, type Id } from '#lib/id.ts';
import { forbidden, gone, invalid } from '#lib/refusal.ts';
import { findMilestone } from '#resources/collaboration/milestones/index.ts';
import { addOpenIssues } from '#resources/repositories/repositories/index.ts';
import { activitiesOfAssignees, assignable, replaceAssignees, wantedAssignees } from './assignment/assignees.ts';
import { activitiesOfLabels, labelNames, replaceLabels, wantedLabels } from './labels/labels.ts';
import { checkNumber } from './numbers.ts';
import { recordReferences, type TextAction } from './references/references.ts';
import { checkOnlyOne, checkReopening } from './reopening.ts';
import type { IssueChange, NewIssue } from './schemas.ts';
import { findReadableIssue, type IssueRow, insertIssue, updateIssue } from './store.ts';
import { activitiesOfChange, activitiesOfMilestone, eventOf, recordActivity, viaApp } from './timeline/activity.ts';

/** Refuses repositories that have their issues switched off. */
export function checkHasIssues(repo: Repo): void {
  if (!repo.has_issues) throw gone('Issues has been disabled in this repository.');
}

/** Whether the caller may label, assign and close all issues: a user by their role, an app by its permission. */
const mayTriage = (repo: Repo, by: SignedIn): boolean => by.grant.kind === 'installation' || reaches(repo.role, 'triage');

/** Refuses repositories that have their pull requests switched off. */
export function checkHasPulls(repo: Pick<Repo, 'has_pull_requests'>): void {
  if (!repo.has_pull_requests) throw gone('Pull requests have been disabled in this repository.');
}

/** Opens an issue. As in the public API, labels, assignees and milestone are ignored for those who may not set them. */
export async function openIssue(scope: WriteScope, action: TextAction, wanted: NewIssue): Promise<IssueRow> {
  const { repo, by, now } = action;
  checkHasIssues(repo);
  const canTriage = mayTriage(repo, by);
  const title = String(wanted.title).trim();
  if (title === '') throw invalid('Issue', 'title', 'missing_field');
  const [assignees, milestone, labels] = canTriage
    ? await Promise.all([
        assignable(scope.tx, repo, wantedAssignees(wanted) ?? []),
        milestoneOf(scope.tx, repo, wanted.milestone),
        wantedLabels(scope, repo, labelNames(wanted.labels)),
      ])
    : [[], undefined, []];
  checkNumber('labels', labels.length);
  checkNumber('assignees', assignees.length);
  const row = {
    repository_id: repo.id,
    title,
    body: wanted.body ?? null,
    author_id: by.account.id,
    milestone_id: milestone ?? null,
    via_app_id: viaApp(by),
    created_at: now,
    updated_at: now,
  };
  const issue = await insertIssue(scope.tx, row, { labels, assignees });
  await recordActivity(scope, action, issue, [
    { event: eventOf(action, issue, 'opened', {}) },
    ...activitiesOfLabels(action, issue, labels),
    ...activitiesOfAssignees(action, issue, gather(assignees, 'id')),
    ...(await activitiesOfMilestone(scope.tx, action, { ...issue, milestone_id: null }, issue)),
  ]);
  await recordReferences(scope, action, { issue: issue.id, after: issue.body });
  return issue;
}

/** Changes an issue. Its author may change the texts, close and reopen it. All other changes require the role triage. */
export async function changeIssue(
  scope: WriteScope,
  action: TextAction,
  issue: IssueRow,
  wanted: IssueChange,
): Promise<IssueRow> {
  const { repo, by, now } = action;
  const canTriage = mayTriage(repo, by);
  if (!canTriage && issue.author_id !== by.account.id) throw forbidden('Must have admin rights to Repository.');
  const title = wanted.title === undefined || wanted.title === null ? issue.title : String(wanted.title).trim();
  if (title === '') throw invalid('Issue', 'title', 'missing_field');
  const body = wanted.body === undefined ? issue.body : wanted.body;
  const assignees = canTriage ? wantedAssignees(wanted) : undefined;
  const [milestone, users, duplicate] = await Promise.all([
    canTriage ? milestoneOf(scope.tx, repo, wanted.milestone) : undefined,
    assignees && assignable(scope.tx, repo, assignees),
    duplicateChange(scope, action, issue, wanted),
    checkReopening(scope, issue, wanted.state),
  ]);
  const columns = {
    title,
    body,
    ...stateChange(issue, wanted, by, now),
    ...duplicate,
    ...(milestone === undefined ? {} : { milestone_id: milestone }),
  };
  const isSame = isDeepStrictEqual({ ...issue, ...columns }, issue);
  const row = isSame ? issue : await updateIssue(scope.tx, issue.id, { ...columns, updated_at: now });
  const changed = await recordActivity(scope, action, row, [
    ...activitiesOfChange(action, issue, row),
    ...(await activitiesOfMilestone(scope.tx, action, issue, row)),
    ...(canTriage && wanted.labels !== undefined ? await replaceLabels(scope, action, issue, labelNames(wanted.labels)) : []),
    ...(users ? await replaceAssignees(scope, action, issue, users) : []),
  ]);
  await recordReferences(scope, action, { issue: issue.id, before: issue.body, after: row.body });
  // The repository's row is locked after the labels, in the same order as when an issue is opened.
  if (row.state !== issue.state) {
    addOpenIssues(scope.tx, repo.id, row.state === 'closed' ? -1 : 1);
    await checkOnlyOne(scope, row);
  }
  return changed;
}

/** The columns that closing or reopening changes. A closed issue may get another reason. Pull requests have none. */
function stateChange(issue: IssueRow, { state = issue.state, state_reason }: IssueChange, by: SignedIn, now: Date) {
  if (issue.is_pull_request) {
    if (state === issue.state) return {};
    return state === 'closed' ? { state, closed_at: now, closed_by: by.account.id } : { state, closed_at: null, closed_by: null };
  }
  if (state === 'closed') {
    if (state_reason === 'reopened') throw invalid('Issue', 'state_reason', 'invalid', 'reopened is no reason to close an issue');
    if (issue.state === 'closed') return state_reason ? { state_reason } : {};
    return { state, state_reason: state_reason ?? ('completed' as const), closed_at: now, closed_by: by.account.id };
  }
  if (issue.state === 'open') return {};
  return { state, state_reason: 'reopened' as const, closed_at: null, closed_by: null };
}

/**
 * The issue that this one duplicates: `duplicate_issue_id`, which requires the reason `duplicate`. Another reason, and
 * reopening, clear it. An issue that the caller may not read gets the same refusal as one that doesn't exist.
 */
async function duplicateChange(
  scope: WriteScope,
  { by }: RepositoryAction,
  issue: IssueRow,
  { state, state_reason, duplicate_issue_id }: IssueChange,
): Promise<{ duplicate_of_id?: Id<'issues'> | null }> {
  const isDuplicate = (state ?? issue.state) === 'closed' && (state_reason ?? issue.state_reason) === 'duplicate';
  if (duplicate_issue_id === undefined) return isDuplicate ? {} : { duplicate_of_id: null };
  if (!isDuplicate) throw invalid('Issue', 'duplicate_issue_id', 'invalid', 'It goes with the state_reason duplicate');
  const original = await findReadableIssue(scope.tx, by, asId<'issues'>(duplicate_issue_id));
  if (!original || original.id === issue.id) throw invalid('Issue', 'duplicate_issue_id', 'invalid');
  return { duplicate_of_id: original.id };
}

/** The id of the milestone with this number. Null removes the milestone, and undefined leaves it; both are returned unchanged. */
async function milestoneOf(db: Db, repo: Repo, wanted: NewIssue['milestone']): Promise<Id<'milestones'> | null | undefined> {
  if (wanted === undefined || wanted === null) return wanted;
  if (wanted === '') return null;
  const milestone = await findMilestone(db, repo.id, Number(wanted));
  if (!milestone) throw invalid('Issue', 'milestone', 'invalid');
  return milestone.id;
}
