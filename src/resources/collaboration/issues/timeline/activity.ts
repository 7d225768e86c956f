// Recording changes of an issue: as events, for webhooks and search indexes, and as issue events, for its timeline.

import type { RepositoryAction } from '#access/action.ts';
import type { SignedIn } from '#access/viewer.ts';
import type { Tx } from '#database/connect.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import type { EventData, EventKind } from '#events/kinds.ts';
import { type Event, recordAll } from '#events/record.ts';
import { inRepository } from '#events/scope.ts';
import { getOptional } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { loadMilestones, type MilestoneRow } from '#resources/collaboration/milestones/index.ts';
import { type IssueRow, updateIssue } from '../store.ts';
import { insertIssueEvents, type NewIssueEvent } from './store.ts';

type ActivityEvent = Extract<EventKind, `issue.${string}` | `pull_request.${string}`>;

/** What happens to issues and pull requests alike. */
type SharedVerb = {
  [Kind in EventKind]: Kind extends `pull_request.${infer Verb}` ? (`issue.${Verb}` extends EventKind ? Verb : never) : never;
}[EventKind];

/** An event of an issue or a pull request, as it is recorded. Their kinds differ, since their webhooks do. */
export const eventOf = <Verb extends SharedVerb>(
  action: RepositoryAction,
  issue: Pick<IssueRow, 'id' | 'is_pull_request'>,
  verb: Verb,
  data: Omit<EventData[`issue.${Verb}`], 'issue'>,
): Event<ActivityEvent> => ({
  ...inRepository(action),
  kind: kindOf(issue, verb),
  data: { issue: issue.id, ...data } as EventData[ActivityEvent], // `data` is that of the kind
});

/** The kind of an event of an issue or a pull request. */
const kindOf = <Verb extends SharedVerb>({ is_pull_request }: Pick<IssueRow, 'is_pull_request'>, verb: Verb) =>
  is_pull_request ? (`pull_request.${verb}` as const) : (`issue.${verb}` as const);

/** The id of the app that acts, if one does. */
export const viaApp = ({ grant }: SignedIn): Id<'apps'> | null => ('appId' in grant ? (grant.appId ?? null) : null);

/** A change of an issue. Some have no event for webhooks and search indexes, others no issue event for the timeline. */
export type IssueActivity = { event?: Event<ActivityEvent>; issueEvent?: NewIssueEvent };

/** Records changes of an issue in their order, and sets its `updated_at`. Returns the updated issue. */
export async function recordActivity(
  scope: WriteScope,
  action: RepositoryAction,
  issue: IssueRow,
  activities: readonly IssueActivity[],
): Promise<IssueRow> {
  if (activities.length === 0) return issue;
  const { repo, by, now } = action;
  await recordAll(
    scope.tx,
    activities.flatMap(({ event }) => event ?? []),
  );
  await insertIssueEvents(
    scope.tx,
    { repository: repo.id, issue: issue.id, actor: by.account.id, app: viaApp(by), at: now },
    activities.flatMap(({ issueEvent }) => issueEvent ?? []),
  );
  return issue.updated_at < now ? updateIssue(scope.tx, issue.id, { updated_at: now }) : issue;
}

/** The activities for changes of an issue's texts and state. */
export function activitiesOfChange(action: RepositoryAction, before: IssueRow, after: IssueRow): IssueActivity[] {
  const changes = {
    ...(before.title === after.title ? {} : { title: { from: before.title } }),
    ...(before.body === after.body ? {} : { body: { from: before.body } }),
  };
  const hasOtherReason = before.state === after.state && before.state_reason !== after.state_reason;
  const isEdited = Object.keys(changes).length > 0 || hasOtherReason;
  const stateEvent = after.state === 'closed' ? 'closed' : 'reopened';
  const activities: (IssueActivity | false)[] = [
    isEdited && { event: eventOf(action, after, 'edited', { changes }) },
    changes.title !== undefined && {
      issueEvent: { event: 'renamed', data: { rename: { from: before.title, to: after.title } } },
    },
    before.state !== after.state && {
      event: eventOf(action, after, stateEvent, {}),
      issueEvent: { event: stateEvent, data: { state_reason: after.state_reason } },
    },
    ...activitiesOfDuplicates(before, after),
  ];
  return activities.filter((activity) => activity !== false);
}

/** An issue that is marked as a duplicate of another one than before was unmarked first. */
const activitiesOfDuplicates = (before: IssueRow, after: IssueRow): IssueActivity[] =>
  before.duplicate_of_id === after.duplicate_of_id
    ? []
    : [
        ...(before.duplicate_of_id === null ? [] : [{ issueEvent: { event: 'unmarked_as_duplicate' as const } }]),
        ...(after.duplicate_of_id === null ? [] : [{ issueEvent: { event: 'marked_as_duplicate' as const } }]),
      ];

/** The activities for a change of an issue's milestone. */
export async function activitiesOfMilestone(
  tx: Tx,
  action: RepositoryAction,
  before: IssueRow,
  after: IssueRow,
): Promise<IssueActivity[]> {
  if (before.milestone_id === after.milestone_id) return [];
  const milestones = await loadMilestones(tx, [before.milestone_id, after.milestone_id]);
  const move = (kind: 'demilestoned' | 'milestoned', milestone: MilestoneRow | undefined): IssueActivity[] =>
    milestone
      ? [
          {
            event: eventOf(action, after, kind, { milestone: milestone.id }),
            issueEvent: { event: kind, data: { milestone: { title: milestone.title } } },
          },
        ]
      : [];
  return [
    ...move('demilestoned', getOptional(milestones, before.milestone_id)),
    ...move('milestoned', getOptional(milestones, after.milestone_id)),
  ];
}
