import type { RepoStep } from '#access/step.ts';
// Telling what happened to an issue: by events, for webhooks and indexes, and by issue events, for its timeline.
import type { SignedIn } from '#access/viewer.ts';
import type { Tx } from '#database/connect.ts';
import type { EventData, EventKind } from '#events/catalogue.ts';
import { inRepository } from '#events/place.ts';
import { type Event, recordAll } from '#events/record.ts';
import { maybe } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { loadMilestones } from '#resources/milestones/index.ts';
import { insertIssueEvents, type NewIssueEvent } from './event-store.ts';
import { addOpenIssues, type IssueRow, updateIssue } from './store.ts';

type IssueEvent = Extract<EventKind, `issue.${string}`>;

/** An event of an issue, as it is recorded. */
export const eventOf = <Kind extends IssueEvent>(step: RepoStep, kind: Kind, data: EventData[Kind]): Event<Kind> => ({
  ...inRepository(step),
  kind,
  data,
});

/** The id of the app that acts, if one does. */
export const viaApp = ({ grant }: SignedIn): Id<'apps'> | null => ('appId' in grant ? (grant.appId ?? null) : null);

/** The common part of an issue's events: which issue, who and when. */
export const aboutOf = ({ repo, by, now }: RepoStep, { id }: Pick<IssueRow, 'id'>) => ({
  repository: repo.id,
  issue: id,
  actor: by.account.id,
  app: viaApp(by),
  at: now,
});

type Told<Thing> = {
  things: readonly Thing[];
  event: (thing: Thing) => Event<IssueEvent>;
  own: (thing: Thing) => NewIssueEvent;
};

/** For each thing that changed, records an event and writes an issue event; then sets the issue's time of change. */
export async function tellAll<Thing>(
  tx: Tx,
  step: RepoStep,
  issue: IssueRow,
  { things, event, own }: Told<Thing>,
): Promise<void> {
  if (things.length === 0) return;
  await recordAll(tx, things.map(event));
  await insertIssueEvents(tx, aboutOf(step, issue), things.map(own));
  if (issue.updated_at < step.now) await updateIssue(tx, issue.id, { updated_at: step.now });
}

/** Records what differs between an issue before and after a change. */
export async function tellChanges(tx: Tx, step: RepoStep, before: IssueRow, after: IssueRow): Promise<void> {
  const { repo } = step;
  const issue = after.id;
  const events: Event<IssueEvent>[] = [];
  const changes = {
    ...(before.title === after.title ? {} : { title: { from: before.title } }),
    ...(before.body === after.body ? {} : { body: { from: before.body } }),
  };
  const own: NewIssueEvent[] = [];
  const isOtherwiseClosed = before.state === after.state && before.state_reason !== after.state_reason;
  if (Object.keys(changes).length > 0 || isOtherwiseClosed) events.push(eventOf(step, 'issue.edited', { issue, changes }));
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
export async function tellMilestones(tx: Tx, step: RepoStep, before: IssueRow, after: IssueRow): Promise<void> {
  if (before.milestone_id === after.milestone_id) return;
  const milestones = await loadMilestones(tx, [before.milestone_id, after.milestone_id]);
  const [left, entered] = [before, after].map(({ milestone_id }) => maybe(milestones, milestone_id));
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
