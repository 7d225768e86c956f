import { reaches } from '#access/roles.ts';
import type { Account, Repo, SignedIn } from '#access/viewer.ts';
import type { Db, Tx } from '#database/connect.ts';
import type { EventData, EventKind } from '#events/catalogue.ts';
import { inRepository } from '#events/place.ts';
import { type Event, record, recordAll } from '#events/record.ts';
import { keyed } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { forbidden, gone, invalid, notFound } from '#lib/refusal.ts';
import { findUsersByLogin } from '#resources/accounts/index.ts';
import { findOrMakeLabels, type LabelRow } from '#resources/labels/index.ts';
import { findMilestone, loadMilestones } from '#resources/milestones/index.ts';
import { keepAssignable } from './assignees.ts';
import { insertIssueEvents, type NewIssueEvent } from './event-store.ts';
import type { IssueChange, NewIssue } from './schemas.ts';
import {
  addAssignees,
  addLabels,
  addOpenIssues,
  dropAssignees,
  dropLabels,
  findIssue,
  holdIssue,
  type IssueRow,
  insertIssue,
  listAssignees,
  listIssueLabels,
  takeNumber,
  updateIssue,
} from './store.ts';

export type Step = { repo: Repo; by: SignedIn; now: Date };

type IssueEvent = Extract<EventKind, `issue.${string}`>;

/** An event of an issue, as it is recorded. */
export const eventOf = <Kind extends IssueEvent>(step: Step, kind: Kind, data: EventData[Kind]): Event<Kind> => ({
  ...inRepository(step),
  kind,
  data,
});

/** Refuses repositories that have their issues switched off. */
export function checkHasIssues(repo: Repo): void {
  if (!repo.has_issues) throw gone('Issues has been disabled in this repository.');
}

/** An issue of a repository by its number. */
export async function getIssue(db: Db, repo: Repo, number: number): Promise<IssueRow> {
  checkHasIssues(repo);
  const issue = await findIssue(db, repo.id, number);
  if (!issue) throw notFound();
  return issue;
}

/** An issue whose row is locked for a change. */
export async function holdFor(tx: Tx, repo: Repo, number: number): Promise<IssueRow> {
  checkHasIssues(repo);
  const issue = await holdIssue(tx, repo.id, number);
  if (!issue) throw notFound();
  return issue;
}

/** Whether somebody may label, assign and close issues of others: by their role, an app by its permission. */
const maySort = (repo: Repo, by: SignedIn): boolean => by.grant.kind === 'installation' || reaches(repo.role, 'triage');

/** The id of the app that acts, if one does. */
export const viaApp = ({ grant }: SignedIn): Id<'apps'> | null => ('appId' in grant ? (grant.appId ?? null) : null);

/** The names in a list of labels. Each is a string or an object with a name. */
export const labelNames = (labels: NewIssue['labels']): string[] =>
  (labels ?? []).map((label) => (typeof label === 'string' ? label : label.name));

/** Opens an issue. As in the public API, labels, assignees and milestone are ignored for those who may not set them. */
export async function openIssue(tx: Tx, step: Step & { wanted: NewIssue }): Promise<IssueRow> {
  const { repo, by, now, wanted } = step;
  checkHasIssues(repo);
  const sorts = maySort(repo, by);
  const title = String(wanted.title).trim();
  if (title === '') throw invalid('Issue', 'title', 'missing_field');
  const assignees = sorts ? await assignable(tx, repo, wantedAssignees(wanted) ?? []) : [];
  const milestone = sorts ? await milestoneOf(tx, repo, wanted.milestone) : undefined;
  const number = await takeNumber(tx, repo.id);
  const issue = await insertIssue(tx, {
    repository_id: repo.id,
    number,
    title,
    body: wanted.body ?? null,
    author_id: by.account.id,
    milestone_id: milestone ?? null,
    via_app_id: viaApp(by),
    created_at: now,
    updated_at: now,
  });
  await addOpenIssues(tx, repo.id, 1);
  await record(tx, eventOf(step, 'issue.opened', { issue: issue.id }));
  if (sorts) await putLabels(tx, step, issue, labelNames(wanted.labels));
  await assign(tx, step, issue, assignees);
  if (milestone) await tellMilestones(tx, step, { ...issue, milestone_id: null }, issue);
  return issue;
}

/** Changes an issue. Its author may change the texts, close and reopen it; all else is for those who may sort issues. */
export async function changeIssue(tx: Tx, step: Step & { number: number; wanted: IssueChange }): Promise<IssueRow> {
  const { repo, by, now, wanted } = step;
  const issue = await holdFor(tx, repo, step.number);
  const sorts = maySort(repo, by);
  if (!sorts && issue.author_id !== by.account.id) throw forbidden('Must have admin rights to Repository.');
  const title = wanted.title === undefined || wanted.title === null ? issue.title : String(wanted.title).trim();
  if (title === '') throw invalid('Issue', 'title', 'missing_field');
  const body = wanted.body === undefined ? issue.body : wanted.body;
  const milestone = sorts ? await milestoneOf(tx, repo, wanted.milestone) : undefined;
  const assignees = sorts ? wantedAssignees(wanted) : undefined;
  const users = assignees && (await assignable(tx, repo, assignees));
  const row = await updateIssue(tx, issue.id, {
    title,
    body,
    ...stateChange(issue, wanted, by, now),
    ...(milestone === undefined ? {} : { milestone_id: milestone }),
    updated_at: now,
  });
  await tellChanges(tx, step, issue, row);
  if (sorts && wanted.labels !== undefined) await replaceLabels(tx, step, issue, labelNames(wanted.labels));
  if (users) await replaceAssignees(tx, step, issue, users);
  return row;
}

/** The columns that closing or reopening changes. A closed issue may get another reason. */
function stateChange(issue: IssueRow, { state = issue.state, state_reason }: IssueChange, by: SignedIn, now: Date) {
  if (state === 'closed') {
    if (state_reason === 'reopened') throw invalid('Issue', 'state_reason', 'invalid', 'reopened is no reason to close an issue');
    if (issue.state === 'closed') return state_reason ? { state_reason } : {};
    return { state, state_reason: state_reason ?? ('completed' as const), closed_at: now, closed_by: by.account.id };
  }
  if (issue.state === 'open') return {};
  return { state, state_reason: 'reopened' as const, closed_at: null, closed_by: null };
}

async function tellChanges(tx: Tx, step: Step, before: IssueRow, after: IssueRow): Promise<void> {
  const { repo } = step;
  const issue = after.id;
  const events: Event<IssueEvent>[] = [];
  const changes = {
    ...(before.title === after.title ? {} : { title: { from: before.title } }),
    ...(before.body === after.body ? {} : { body: { from: before.body } }),
  };
  const own: NewIssueEvent[] = [];
  if (Object.keys(changes).length > 0) events.push(eventOf(step, 'issue.edited', { issue, changes }));
  if (changes.title) own.push({ event: 'renamed', data: { rename: { from: before.title, to: after.title } } });
  if (before.state !== after.state) {
    const closed = after.state === 'closed';
    events.push(eventOf(step, closed ? 'issue.closed' : 'issue.reopened', { issue }));
    own.push({ event: closed ? 'closed' : 'reopened', data: { state_reason: after.state_reason } });
    await addOpenIssues(tx, repo.id, closed ? -1 : 1);
  }
  await recordAll(tx, events);
  await insertIssueEvents(tx, aboutOf(step, after), own);
  await tellMilestones(tx, step, before, after);
}

/** Records that an issue left a milestone, or came into one. */
async function tellMilestones(tx: Tx, step: Step, before: IssueRow, after: IssueRow): Promise<void> {
  if (before.milestone_id === after.milestone_id) return;
  const milestones = await loadMilestones(tx, [before.milestone_id, after.milestone_id]);
  const [left, entered] = [before, after].map(({ milestone_id }) =>
    milestone_id === null ? undefined : milestones.get(milestone_id),
  );
  const moves = [
    ...(left ? [{ kind: 'demilestoned', milestone: left } as const] : []),
    ...(entered ? [{ kind: 'milestoned', milestone: entered } as const] : []),
  ];
  await recordAll(
    tx,
    moves.map(({ kind, milestone }) => eventOf(step, `issue.${kind}`, { issue: after.id, milestone: milestone.id })),
  );
  const own = moves.map(({ kind, milestone }) => ({ event: kind, data: { milestone: { title: milestone.title } } }));
  await insertIssueEvents(tx, aboutOf(step, after), own);
}

/** The common part of an issue's events: which issue, who and when. */
export const aboutOf = ({ repo, by, now }: Step, { id }: Pick<IssueRow, 'id'>) => ({
  repository: repo.id,
  issue: id,
  actor: by.account.id,
  app: viaApp(by),
  at: now,
});

/** Adds labels to an issue. Labels that the repository doesn't have are created. */
export async function putLabels(tx: Tx, step: Step, issue: IssueRow, names: readonly string[]): Promise<void> {
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
export async function takeLabels(tx: Tx, step: Step, issue: IssueRow, labels: readonly LabelRow[]): Promise<number> {
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
export async function replaceLabels(tx: Tx, step: Step, issue: IssueRow, names: readonly string[]): Promise<void> {
  const wanted = new Set(names.map((name) => name.trim().toLowerCase()));
  const held = await listIssueLabels(tx, issue.id);
  const leaving = held.filter(({ name }) => !wanted.has(name.toLowerCase()));
  await takeLabels(tx, step, issue, leaving);
  await putLabels(tx, step, issue, names);
}

/** Assigns users to an issue. */
export async function assign(tx: Tx, step: Step, issue: IssueRow, users: readonly Account[]): Promise<void> {
  const added = await addAssignees(tx, issue.id, users, step.now);
  await tellAll(tx, step, issue, {
    things: added,
    event: (user) => eventOf(step, 'issue.assigned', { issue: issue.id, user }),
    own: (assignee) => ({ event: 'assigned', data: { assignee } }),
  });
}

/** Unassigns users from an issue. */
export async function unassign(tx: Tx, step: Step, issue: IssueRow, users: readonly Id<'accounts'>[]): Promise<void> {
  const dropped = await dropAssignees(tx, issue.id, users);
  await tellAll(tx, step, issue, {
    things: dropped,
    event: (user) => eventOf(step, 'issue.unassigned', { issue: issue.id, user }),
    own: (assignee) => ({ event: 'unassigned', data: { assignee } }),
  });
}

async function replaceAssignees(tx: Tx, step: Step, issue: IssueRow, users: readonly Account[]): Promise<void> {
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

type Told<Thing> = {
  things: readonly Thing[];
  event: (thing: Thing) => Event<IssueEvent>;
  own: (thing: Thing) => NewIssueEvent;
};

/** For each thing that changed, records an event and writes an issue event; then sets the issue's time of change. */
export async function tellAll<Thing>(tx: Tx, step: Step, issue: IssueRow, { things, event, own }: Told<Thing>): Promise<void> {
  if (things.length === 0) return;
  await recordAll(tx, things.map(event));
  await insertIssueEvents(tx, aboutOf(step, issue), things.map(own));
  if (issue.updated_at < step.now) await updateIssue(tx, issue.id, { updated_at: step.now });
}

/** The wanted assignees: `assignees`, or else the older field `assignee`; undefined where the body has neither. */
function wantedAssignees({ assignees, assignee }: Pick<IssueChange, 'assignees' | 'assignee'>): string[] | undefined {
  if (assignees !== undefined) return assignees;
  if (assignee === undefined) return undefined;
  return assignee === null || assignee === '' ? [] : [assignee];
}

/** The users with these logins. Refuses those who can't be assigned. */
async function assignable(db: Db, repo: Repo, logins: readonly string[]): Promise<Account[]> {
  const users = await keepAssignable(db, repo, await findUsersByLogin(db, logins));
  const known = keyed(users, ({ login }) => login.toLowerCase());
  const wrong = logins.find((login) => !known.has(login.toLowerCase()));
  if (wrong !== undefined) throw invalid('Issue', 'assignees', 'invalid', `${wrong} can't be assigned here`);
  return users;
}

/** The id of the milestone with this number. Null, which removes the milestone, and undefined, which leaves it, stay as they are. */
async function milestoneOf(db: Db, repo: Repo, wanted: NewIssue['milestone']): Promise<Id<'milestones'> | null | undefined> {
  if (wanted === undefined || wanted === null) return wanted;
  if (wanted === '') return null;
  const milestone = await findMilestone(db, repo.id, Number(wanted));
  if (!milestone) throw invalid('Issue', 'milestone', 'invalid');
  return milestone.id;
}
