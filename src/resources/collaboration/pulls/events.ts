import type { EventKind } from '#events/kinds.ts';
import type { Recorded } from '#events/subscription.ts';
import { asId, type Id } from '#lib/id.ts';
import { assigneeOf, formerTexts, labelOf, milestoneOf } from '#resources/collaboration/issues/index.ts';
import {
  aboutRepository,
  eventKinds,
  type OwnedRepository,
  type PayloadBuilder,
  type PayloadScope,
  payloadBuilder,
  webhookEventType,
} from '#resources/event-kinds.ts';
import { namedRepositories } from '#resources/repositories/repositories/index.ts';
import { presentFullPulls } from './present.ts';
import { reviewerOf } from './present-reviewers.ts';
import { pullRows } from './store.ts';
import { testingOf } from './test-merges.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'pull_request.opened': PullData;
    'pull_request.edited': PullData & {
      changes: { title?: { from: string }; body?: { from: string | null }; base?: { ref: string; sha: string } };
    };
    'pull_request.closed': PullData;
    'pull_request.reopened': PullData;
    'pull_request.synchronize': PullData & { before: string; after: string };
    'pull_request.ready_for_review': PullData;
    'pull_request.converted_to_draft': PullData;
    'pull_request.locked': PullData;
    'pull_request.unlocked': PullData;
    'pull_request.labeled': PullData & { label: Id<'labels'> };
    'pull_request.unlabeled': PullData & { label: Id<'labels'> };
    'pull_request.assigned': PullData & { user: Id<'accounts'> };
    'pull_request.unassigned': PullData & { user: Id<'accounts'> };
    'pull_request.review_requested': PullData & { user?: Id<'accounts'>; team?: Id<'teams'> };
    'pull_request.review_request_removed': PullData & { user?: Id<'accounts'>; team?: Id<'teams'> };
    'pull_request.milestoned': PullData & { milestone: Id<'milestones'> };
    'pull_request.demilestoned': PullData & { milestone: Id<'milestones'> };
    'pull_request.enqueued': PullData;
    /** It has left its merge queue. The reasons are the public API's. */
    'pull_request.dequeued': PullData & { reason: string };
    /** Its base has another name. */
    'pull_request.base_renamed': PullData;
  }
}

/** `issue` is the issue that the pull request also is. */
type PullData = { issue: Id<'issues'> };

type PullKind = Extract<EventKind, `pull_request.${string}`>;

const pullRequestEvent = webhookEventType({ name: 'pull_request', permission: 'pull_requests:read', hooks: 'all' });

/** A pull request as payloads show it: to nobody in particular. */
async function presentPayloadPull(scope: PayloadScope, issue: Id<'issues'>) {
  const { load } = scope;
  const row = await load(pullRows, issue);
  const repo = row && (await load(namedRepositories, row.repository_id));
  if (!row || !repo) return undefined;
  const [pull] = await presentFullPulls(scope, [{ row, testing: await testingOf(scope, repo, row) }]);
  return pull;
}

const pullPayload = <Kind extends PullKind>(
  action: string,
  more: (
    event: Recorded<Kind>,
    context: PayloadScope,
    repository: OwnedRepository,
  ) => Promise<Record<string, unknown>> | Record<string, unknown> = () => ({}),
): PayloadBuilder<Kind> =>
  payloadBuilder([pullRequestEvent], (event, context) =>
    aboutRepository(context, event, async (repository) => {
      const pull_request = await presentPayloadPull(context, asId(event.data.issue));
      if (!pull_request) return [];
      const body = { number: pull_request.number, pull_request, ...(await more(event, context, repository)) };
      return [{ type: pullRequestEvent, action, body }];
    }),
  );

const label = ({ data }: { data: { label: Id<'labels'> } }, context: PayloadScope, repository: OwnedRepository) =>
  labelOf(data.label, context, repository);
const assignee = ({ data }: { data: { user: Id<'accounts'> } }, context: PayloadScope) => assigneeOf(data.user, context);
const milestone = ({ data }: { data: { milestone: Id<'milestones'> } }, context: PayloadScope, repository: OwnedRepository) =>
  milestoneOf(data.milestone, context, repository);

const reviewerPayload = (action: 'review_requested' | 'review_request_removed') =>
  pullPayload<`pull_request.${typeof action}`>(action, ({ data }, context) => reviewerOf(data, context));

export const pullEvents = eventKinds({
  'pull_request.opened': pullPayload('opened'),
  'pull_request.edited': pullPayload('edited', ({ data: { changes } }) => ({
    changes: {
      ...formerTexts(changes),
      ...(changes.base ? { base: { ref: { from: changes.base.ref }, sha: { from: changes.base.sha } } } : {}),
    },
  })),
  'pull_request.closed': pullPayload('closed'),
  'pull_request.reopened': pullPayload('reopened'),
  'pull_request.synchronize': pullPayload('synchronize', ({ data: { before, after } }) => ({ before, after })),
  'pull_request.ready_for_review': pullPayload('ready_for_review'),
  'pull_request.converted_to_draft': pullPayload('converted_to_draft'),
  'pull_request.locked': pullPayload('locked'),
  'pull_request.unlocked': pullPayload('unlocked'),
  'pull_request.labeled': pullPayload('labeled', label),
  'pull_request.unlabeled': pullPayload('unlabeled', label),
  'pull_request.assigned': pullPayload('assigned', assignee),
  'pull_request.unassigned': pullPayload('unassigned', assignee),
  'pull_request.review_requested': reviewerPayload('review_requested'),
  'pull_request.review_request_removed': reviewerPayload('review_request_removed'),
  'pull_request.milestoned': pullPayload('milestoned', milestone),
  'pull_request.demilestoned': pullPayload('demilestoned', milestone),
  'pull_request.enqueued': pullPayload('enqueued'),
  'pull_request.dequeued': pullPayload('dequeued', ({ data: { reason } }) => ({ reason })),
  'pull_request.base_renamed': 'no webhook',
});
