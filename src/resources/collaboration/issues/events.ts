import type { Account } from '#access/viewer.ts';
import type { Loader } from '#endpoint/loaders.ts';
import type { DeletedRow, EventData, EventKind } from '#events/kinds.ts';
import type { Recorded } from '#events/subscription.ts';
import { keyed } from '#lib/collections.ts';
import { asId, type Id } from '#lib/id.ts';
import { revived } from '#lib/snapshot.ts';
import { loadMilestones, type MilestoneRow, presentMilestones } from '#resources/collaboration/milestones/index.ts';
import {
  aboutRepository,
  type EventScope,
  eventKinds,
  type OwnedRepository,
  type PayloadBuilder,
  type PayloadScope,
  payloadBuilder,
  type WebhookEvent,
  webhookEventType,
} from '#resources/event-kinds.ts';
import { loadAccounts, presentUser } from '#resources/identity/accounts/index.ts';
import { type LabelRow, loadLabels, presentLabel } from '#resources/repositories/labels/index.ts';
import { type CommentRow, loadComments } from './comments/store.ts';
import { presentComments, presentIssues } from './present.ts';
import type { Issue, IssueComment } from './schemas.ts';
import { loadIssues } from './store.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'issue.opened': IssueData;
    'issue.edited': IssueData & { changes: { title?: { from: string }; body?: { from: string | null } } };
    'issue.closed': IssueData;
    'issue.reopened': IssueData;
    'issue.locked': IssueData;
    'issue.unlocked': IssueData;
    'issue.labeled': IssueData & { label: Id<'labels'> };
    'issue.unlabeled': IssueData & { label: Id<'labels'> };
    'issue.assigned': IssueData & { user: Id<'accounts'> };
    'issue.unassigned': IssueData & { user: Id<'accounts'> };
    'issue.milestoned': IssueData & { milestone: Id<'milestones'> };
    'issue.demilestoned': IssueData & { milestone: Id<'milestones'> };
    'issue.field_added': IssueData & { field: Id<'issue_fields'> };
    'issue.field_changed': IssueData & { field: Id<'issue_fields'> };
    'issue.field_removed': IssueData & { field: Id<'issue_fields'> };
    'issue_comment.created': IssueData & { comment: Id<'issue_comments'> };
    'issue_comment.edited': IssueData & { comment: Id<'issue_comments'>; changes: { body: { from: string } } };
    'issue_comment.deleted': IssueData & { comment: Id<'issue_comments'>; was?: DeletedRow<'issue_comments'> };
    /** Users or teams are mentioned in the messages of these commits of a push, the latest last. */
    'push.mentioned': { commits: readonly string[] };
  }
}

type IssueData = { issue: Id<'issues'> };

const issuesEvent = webhookEventType({ name: 'issues', permission: 'issues:read', hooks: 'all' });
const commentEvent = webhookEventType({ name: 'issue_comment', permission: 'issues:read', hooks: 'all' });

type IssueKind = Extract<EventKind, `issue.${string}`>;
type CommentKind = Extract<EventKind, `issue_comment.${string}`>;

/** Webhook events about an issue that still exists. `build` makes them from the presented issue. */
const aboutIssue = (
  context: PayloadScope,
  event: EventScope & { data: { issue: Id<'issues'> } },
  build: (
    issue: Record<string, unknown>,
    repository: OwnedRepository,
  ) => Promise<readonly WebhookEvent[]> | readonly WebhookEvent[],
): Promise<readonly WebhookEvent[]> =>
  aboutRepository(context, event, async (repository) => {
    const presented = await context.load(presentedIssues, event.data.issue);
    return presented ? build(presented, repository) : [];
  });

/** Issues in payloads, which are the same for all readers. */
export const presentedIssues: Loader<Id<'issues'>, Issue> = async (scope, ids) => {
  const rows = [...(await loadIssues(scope.db, ids)).values()];
  return keyed(await presentIssues(scope, rows), ({ id }) => asId(id));
};

const presentedComments: Loader<CommentRow, IssueComment> = async (scope, rows) => {
  const presented = await presentComments(scope, rows);
  return new Map(rows.flatMap((row, at) => (presented[at] ? [[row, presented[at]]] : [])));
};

const commentsOf: Loader<Id<'issue_comments'>, CommentRow> = async ({ db }, ids) =>
  keyed(await loadComments(db, ids), ({ id }) => id);

const accountsOf: Loader<Id<'accounts'>, Account> = ({ db }, ids) => loadAccounts(db, ids);
const labelsOf: Loader<Id<'labels'>, LabelRow> = async ({ db }, ids) => keyed(await loadLabels(db, ids), ({ id }) => id);
const milestonesOf: Loader<Id<'milestones'>, MilestoneRow> = ({ db }, ids) => loadMilestones(db, ids);

const issuePayload = <Kind extends IssueKind>(
  action: string,
  more: (
    event: Recorded<Kind>,
    context: PayloadScope,
    repository: OwnedRepository,
  ) => Promise<Record<string, unknown>> | Record<string, unknown> = () => ({}),
): PayloadBuilder<Kind> =>
  payloadBuilder([issuesEvent], (event, context) =>
    aboutIssue(context, event, async (issue, repository) => [
      { type: issuesEvent, action, body: { issue, ...(await more(event, context, repository)) } },
    ]),
  );

/** The label in an event's payload. */
export const labelOf = async (id: Id<'labels'>, { load, links }: PayloadScope, repository: OwnedRepository) => {
  const label = await load(labelsOf, id);
  return label?.repository_id === repository.id ? { label: presentLabel(links, repository, label) } : {};
};

/** The assigned user in an event's payload. */
export const assigneeOf = async (id: Id<'accounts'>, context: PayloadScope) => {
  const user = await context.load(accountsOf, id);
  return { assignee: user ? presentUser(context.links, user) : null };
};

/** The milestone in an event's payload. */
export const milestoneOf = async (id: Id<'milestones'>, context: PayloadScope, repository: OwnedRepository) => {
  const row = await context.load(milestonesOf, id);
  const [milestone] = row ? await presentMilestones(context, repository, [row]) : [];
  return milestone ? { milestone } : {};
};

/** As in the public API, a former body that was null is an empty text. */
export const formerTexts = ({ title, body }: EventData['issue.edited']['changes']) => ({
  ...(title ? { title } : {}),
  ...(body ? { body: { from: body.from ?? '' } } : {}),
});

const commentPayload = <Kind extends CommentKind>(
  action: string,
  find: (event: Recorded<Kind>, context: PayloadScope, repository: OwnedRepository) => Promise<CommentRow | undefined>,
  more: (event: Recorded<Kind>) => Record<string, unknown> = () => ({}),
): PayloadBuilder<Kind> =>
  payloadBuilder([commentEvent], (event, context) =>
    aboutIssue(context, event, async (issue, repository) => {
      const row = await find(event, context, repository);
      if (!row) return [];
      const body = { issue, comment: await context.load(presentedComments, row), ...more(event) };
      return [{ type: commentEvent, action, body }];
    }),
  );

const findPresentComment = async (
  event: { data: { comment: Id<'issue_comments'> } },
  { load }: PayloadScope,
  { id }: OwnedRepository,
) => {
  const row = await load(commentsOf, event.data.comment);
  return row?.repository_id === id ? row : undefined;
};

export const issueEvents = eventKinds({
  'issue.opened': issuePayload('opened'),
  'issue.edited': issuePayload('edited', ({ data }) => ({ changes: formerTexts(data.changes) })),
  'issue.closed': issuePayload('closed'),
  'issue.reopened': issuePayload('reopened'),
  'issue.locked': issuePayload('locked'),
  'issue.unlocked': issuePayload('unlocked'),
  'issue.labeled': issuePayload('labeled', ({ data }, context, repository) => labelOf(data.label, context, repository)),
  'issue.unlabeled': issuePayload('unlabeled', ({ data }, context, repository) => labelOf(data.label, context, repository)),
  'issue.assigned': issuePayload('assigned', ({ data }, context) => assigneeOf(data.user, context)),
  'issue.unassigned': issuePayload('unassigned', ({ data }, context) => assigneeOf(data.user, context)),
  'issue.milestoned': issuePayload('milestoned', ({ data }, context, repository) =>
    milestoneOf(data.milestone, context, repository),
  ),
  'issue.demilestoned': issuePayload('demilestoned', ({ data }, context, repository) =>
    milestoneOf(data.milestone, context, repository),
  ),
  'issue_comment.created': commentPayload('created', findPresentComment),
  'issue_comment.edited': commentPayload('edited', findPresentComment, ({ data }) => ({ changes: data.changes })),
  'issue_comment.deleted': commentPayload('deleted', async ({ data }) =>
    data.was ? revived(data.was, ['created_at', 'updated_at']) : undefined,
  ),
  'issue.field_added': 'no webhook',
  'issue.field_changed': 'no webhook',
  'issue.field_removed': 'no webhook',
  'push.mentioned': 'no webhook',
});
