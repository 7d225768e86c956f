import type { Loader } from '#endpoint/loaders.ts';
import type { DeletedRow } from '#events/kinds.ts';
import type { Recorded } from '#events/subscription.ts';
import { keyed } from '#lib/collections.ts';
import { type Id, nodeId } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import { revived } from '#lib/snapshot.ts';
import { timestamp } from '#lib/time.ts';
import { issueNumbers } from '#resources/collaboration/issues/index.ts';
import { type PullRow, presentPulls, pullRows } from '#resources/collaboration/pulls/index.ts';
import {
  aboutRepository,
  eventKinds,
  type OwnedRepository,
  type PayloadBuilder,
  type PayloadScope,
  payloadBuilder,
  webhookEventType,
} from '#resources/event-kinds.ts';
import { reviewLimits } from './limits.ts';
import { presentReview, presentReviewComment, presentReviewComments } from './present.ts';
import { loadComments, loadConversations, loadReviews, type ReviewCommentRow, type ReviewRow } from './store.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'pull_request_review.submitted': ReviewData;
    'pull_request_review.edited': ReviewData & { changes: { body: { from: string } } };
    'pull_request_review.dismissed': ReviewData;
    'pull_request_review_comment.created': CommentData;
    'pull_request_review_comment.edited': CommentData & { changes: { body: { from: string } } };
    'pull_request_review_comment.deleted': CommentData & { was: DeletedRow<'review_comments'> };
    'pull_request_review_thread.resolved': ThreadData;
    'pull_request_review_thread.unresolved': ThreadData;
  }
}

/** `issue` is the pull request's issue. */
type ReviewData = { issue: Id<'issues'>; review: Id<'reviews'> };
type CommentData = ReviewData & { comment: Id<'review_comments'> };

/** `conversation`: its first comment. */
type ThreadData = { issue: Id<'issues'>; conversation: Id<'review_comments'> };

type ReviewKind = `pull_request_review.${'submitted' | 'edited' | 'dismissed'}`;
type CommentKind = `pull_request_review_comment.${'created' | 'edited' | 'deleted'}`;
type ThreadKind = `pull_request_review_thread.${'resolved' | 'unresolved'}`;

const reviewEvent = webhookEventType({ name: 'pull_request_review', permission: 'pull_requests:read', hooks: 'all' });
const commentEvent = webhookEventType({
  name: 'pull_request_review_comment',
  permission: 'pull_requests:read',
  hooks: 'all',
});

const threadEvent = webhookEventType({
  name: 'pull_request_review_thread',
  permission: 'pull_requests:read',
  hooks: 'all',
});

const reviewsOf: Loader<Id<'reviews'>, ReviewRow> = async ({ db }, ids) => keyed(await loadReviews(db, ids), ({ id }) => id);
const commentsOf: Loader<Id<'review_comments'>, ReviewCommentRow> = async ({ db }, ids) =>
  keyed(await loadComments(db, ids), ({ id }) => id);

/** The pull request in payloads of reviews, in the format of lists and without a specific viewer. */
async function presentPull(scope: PayloadScope, pull: PullRow) {
  const [presented] = await presentPulls(scope, [pull]);
  return presented;
}

/** The pull request of an event, if it still exists. */
async function findPull({ load }: PayloadScope, issue: Id<'issues'>, { id }: OwnedRepository): Promise<PullRow | undefined> {
  const pull = await load(pullRows, issue);
  if (pull) load.prime(issueNumbers, [[pull.id, pull]]);
  return pull?.repository_id === id ? pull : undefined;
}

/** As in the public API, payloads have the state in lower case. */
const reviewPayload = <Kind extends ReviewKind>(
  action: string,
  more: (event: Recorded<Kind>) => Record<string, unknown> = () => ({}),
): PayloadBuilder<Kind> =>
  payloadBuilder([reviewEvent], (event, context) =>
    aboutRepository(context, event, async (repository) => {
      const pull = await findPull(context, event.data.issue, repository);
      const row = pull && (await context.load(reviewsOf, event.data.review));
      if (!pull || !row) return [];
      const [presented, pull_request] = await Promise.all([presentReview(context, repository, row), presentPull(context, pull)]);
      const review = { ...presented, body: row.body === '' ? null : row.body, state: row.state.toLowerCase() };
      return [{ type: reviewEvent, action, body: { review, pull_request, ...more(event) } }];
    }),
  );

const commentPayload = <Kind extends CommentKind>(
  action: string,
  find: (event: Recorded<Kind>, context: PayloadScope) => Promise<ReviewCommentRow | undefined>,
  more: (event: Recorded<Kind>) => Record<string, unknown> = () => ({}),
): PayloadBuilder<Kind> =>
  payloadBuilder([commentEvent], (event, context) =>
    aboutRepository(context, event, async (repository) => {
      const pull = await findPull(context, event.data.issue, repository);
      const row = pull && (await find(event, context));
      if (!pull || !row) return [];
      const [comment, pull_request] = await Promise.all([
        presentReviewComment(context, repository, row),
        presentPull(context, pull),
      ]);
      return [{ type: commentEvent, action, body: { comment, pull_request, ...more(event) } }];
    }),
  );

const maxReplies = fixedValue(reviewLimits.timeline);

/** A conversation, with as many replies as timelines show. */
const threadPayload = (action: 'resolved' | 'unresolved'): PayloadBuilder<ThreadKind> =>
  payloadBuilder([threadEvent], (event, context) =>
    aboutRepository(context, event, async (repository) => {
      const { issue, conversation } = event.data;
      const pull = await findPull(context, issue, repository);
      const { db } = context;
      const rows = pull ? await loadConversations(db, [conversation], maxReplies) : [];
      if (!pull || rows.length === 0) return [];
      const [comments, pull_request] = await Promise.all([
        presentReviewComments(context, repository, rows),
        presentPull(context, pull),
      ]);
      const thread = { node_id: nodeId('PullRequestReviewThread', conversation), comments };
      return [{ type: threadEvent, action, body: { thread, pull_request, updated_at: timestamp(event.at) } }];
    }),
  );

const findPresentComment = ({ data }: { data: CommentData }, { load }: PayloadScope) => load(commentsOf, data.comment);

export const reviewsEvents = eventKinds({
  'pull_request_review.submitted': reviewPayload('submitted'),
  'pull_request_review.edited': reviewPayload('edited', ({ data: { changes } }) => ({ changes })),
  'pull_request_review.dismissed': reviewPayload('dismissed'),
  'pull_request_review_comment.created': commentPayload('created', findPresentComment),
  'pull_request_review_comment.edited': commentPayload('edited', findPresentComment, ({ data: { changes } }) => ({ changes })),
  'pull_request_review_comment.deleted': commentPayload('deleted', async ({ data }) =>
    revived(data.was, ['created_at', 'updated_at', 'submitted_at', 'resolved_at']),
  ),
  'pull_request_review_thread.resolved': threadPayload('resolved'),
  'pull_request_review_thread.unresolved': threadPayload('unresolved'),
});
