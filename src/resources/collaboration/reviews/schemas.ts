import { type Static, Type } from 'typebox';
import { fixedValue } from '#lib/limits.ts';
import { Nullable, OneOf, Timestamp } from '#lib/shape.ts';
import { associations, renderedTexts } from '#resources/collaboration/issues/index.ts';
import { ReactionRollup } from '#resources/collaboration/reactions/index.ts';
import { User } from '#resources/identity/accounts/index.ts';
import { sides } from './diff-lines.ts';
import { reviewLimits } from './limits.ts';

const Link = Type.Object({ href: Type.String() });

export const reviewStates = ['PENDING', 'COMMENTED', 'APPROVED', 'CHANGES_REQUESTED', 'DISMISSED'] as const;

/** A review of a pull request. A pending one has no submission time. */
export const Review = Type.Object({
  id: Type.Integer(),
  node_id: Type.String(),
  user: Nullable(User),
  body: Type.Optional(Type.String()),
  ...renderedTexts,
  state: OneOf(reviewStates),
  html_url: Type.String(),
  pull_request_url: Type.String(),
  author_association: OneOf(associations),
  _links: Type.Object({ html: Link, pull_request: Link }),
  submitted_at: Type.Optional(Timestamp),
  commit_id: Type.String(),
});
export type Review = Static<typeof Review>;

const line = Nullable(Type.Integer());

/**
 * A comment on a line, a range of lines or a file of the diff. `position`, `line` and `start_line` are null if the diff has
 * changed since.
 */
export const ReviewComment = Type.Object({
  url: Type.String(),
  pull_request_review_id: Type.Integer(),
  id: Type.Integer(),
  node_id: Type.String(),
  diff_hunk: Type.String(),
  path: Type.String(),
  position: line,
  original_position: Type.Integer(),
  commit_id: Type.String(),
  original_commit_id: Type.String(),
  in_reply_to_id: Type.Optional(Type.Integer()),
  user: Nullable(User),
  body: Type.Optional(Type.String()),
  ...renderedTexts,
  created_at: Timestamp,
  updated_at: Timestamp,
  html_url: Type.String(),
  pull_request_url: Type.String(),
  author_association: OneOf(associations),
  _links: Type.Object({ self: Link, html: Link, pull_request: Link }),
  start_line: line,
  original_start_line: line,
  start_side: Nullable(OneOf(sides)),
  line,
  original_line: line,
  side: OneOf(sides),
  subject_type: OneOf(['line', 'file']),
  reactions: ReactionRollup,
});
export type ReviewComment = Static<typeof ReviewComment>;

/** The public API's limit for a text: 65,536 characters. */
const maxLength = 65_536;
const body = Type.String({ minLength: 1, maxLength });
const sha = Type.String({ pattern: '^[0-9a-f]{40}$' });
const number = Type.Integer({ minimum: 1, maximum: 2_147_483_647 });
const path = Type.String({ minLength: 1, maxLength: 4_096 });

/** A location in the diff: a position, or a line with its side, and the start of the range. */
const location = {
  position: Type.Optional(number),
  line: Type.Optional(number),
  side: Type.Optional(OneOf(sides)),
  start_line: Type.Optional(number),
  start_side: Type.Optional(OneOf([...sides, 'side'])),
};

const reviewEvents = ['APPROVE', 'REQUEST_CHANGES', 'COMMENT'] as const;
export type ReviewEvent = (typeof reviewEvents)[number];

/** A review without an event is pending. */
export const NewReview = Type.Object(
  {
    commit_id: Type.Optional(sha),
    body: Type.Optional(Type.String({ maxLength })),
    event: Type.Optional(OneOf(reviewEvents)),
    comments: Type.Optional(
      Type.Array(Type.Object({ path, body, ...location }), { maxItems: fixedValue(reviewLimits.comments) }),
    ),
  },
  { title: 'PullRequestReview' },
);
export type NewReview = Static<typeof NewReview>;

export const ReviewChange = Type.Object({ body }, { title: 'PullRequestReview' });

export const ReviewSubmission = Type.Object(
  { body: Type.Optional(Type.String({ maxLength })), event: OneOf(reviewEvents) },
  { title: 'PullRequestReview' },
);
export type ReviewSubmission = Static<typeof ReviewSubmission>;

export const ReviewDismissal = Type.Object(
  { message: body, event: Type.Optional(OneOf(['DISMISS'])) },
  { title: 'PullRequestReview' },
);

/** `in_reply_to` is a comment with the same location. Other location fields are then ignored. */
export const NewReviewComment = Type.Object(
  {
    body,
    commit_id: Type.Optional(sha),
    path: Type.Optional(path),
    ...location,
    in_reply_to: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
    subject_type: Type.Optional(OneOf(['line', 'file'])),
  },
  { title: 'PullRequestReviewComment' },
);
export type NewReviewComment = Static<typeof NewReviewComment>;

export const ReviewCommentText = Type.Object({ body }, { title: 'PullRequestReviewComment' });
