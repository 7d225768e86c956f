import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Timestamp } from '#lib/shape.ts';
import { ShownRelation } from '#resources/collaboration/issue-relations/index.ts';
import { CrossReference, Issue, TimelineComment, TimelineCommit, TimelineEvent } from '#resources/collaboration/issues/index.ts';
import { Review, ReviewComment } from '#resources/collaboration/reviews/index.ts';

const { state: _, submitted_at: _submitted, ...ofReview } = Review.properties;

/** A review in the timeline of its pull request, with its state in lower case. */
export const TimelineReview = Type.Object({
  event: OneOf(['reviewed']),
  ...ofReview,
  body: Type.Optional(Nullable(Type.String())),
  state: OneOf(['commented', 'approved', 'changes_requested', 'dismissed']),
  submitted_at: Timestamp,
});
export type TimelineReview = Static<typeof TimelineReview>;

/** A conversation on a line or a file of the diff, starting with its first comment. */
export const TimelineConversation = Type.Object({
  event: OneOf(['line-commented']),
  node_id: Type.String(),
  comments: Type.Array(ReviewComment),
});
export type TimelineConversation = Static<typeof TimelineConversation>;

/** Names of excluded events, separated by commas. */
export const TimelineQuery = Type.Object({ exclude: Type.Optional(Type.String({ maxLength: 1024 })) });

export const TimelineEntry = Type.Union([
  TimelineComment,
  CrossReference,
  TimelineCommit,
  TimelineReview,
  TimelineConversation,
  TimelineEvent,
]);
export type TimelineEntry = Static<typeof TimelineEntry>;

/** An issue or a pull request with its timeline, as its page shows it. */
export const Conversation = Type.Object({
  issue: Issue,
  entries: Type.Array(TimelineEntry),
  total: Type.Integer(),
  /** How many entries are left out, after how many of `entries`; null where none are. */
  omitted: Nullable(Type.Object({ after: Type.Integer(), count: Type.Integer() })),
  page_size: Type.Integer(),
  /** Other issues and pull requests that the viewer may read. */
  related: Type.Array(ShownRelation),
});
export type Conversation = Static<typeof Conversation>;
