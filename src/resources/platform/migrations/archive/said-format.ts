// What reviews, comments on commits and releases are in an archive.
import { type Static, Type } from 'typebox';
import { Nullable, OneOf } from '#lib/shape.ts';
import { Address, AddressOrNull, Count, CountOrNull, Oid, Reaction, Text, TextOrNull, Time, TimeOrNull } from './shapes.ts';

/** The states of reviews, by the numbers that archives have for them. */
export const reviewStates = { 1: 'COMMENTED', 30: 'CHANGES_REQUESTED', 40: 'APPROVED', 50: 'DISMISSED' } as const;
export type ReviewStateNumber = keyof typeof reviewStates;

export const PullRequestReviewRecord = Type.Object({
  type: Type.Literal('pull_request_review'),
  url: Address,
  pull_request: Address,
  user: AddressOrNull,
  body: Text,
  formatter: Type.Literal('markdown'),
  head_sha: Oid,
  state: Type.Union([Type.Literal(1), Type.Literal(30), Type.Literal(40), Type.Literal(50)]),
  created_at: Time,
  updated_at: Time,
  submitted_at: Time,
});
export type PullRequestReviewRecord = Static<typeof PullRequestReviewRecord>;

const Side = OneOf(['LEFT', 'RIGHT']);

/** A comment of a review. What begins with `original` tells where it was written, the rest where that is in the present diff. */
export const ReviewCommentRecord = Type.Object({
  type: Type.Literal('pull_request_review_comment'),
  url: Address,
  pull_request: Address,
  pull_request_review: Address,
  /** The comment that began the conversation. */
  in_reply_to: AddressOrNull,
  user: AddressOrNull,
  body: Text,
  formatter: Type.Literal('markdown'),
  diff_hunk: Text,
  path: Text,
  subject_type: OneOf(['line', 'file']),
  side: Side,
  start_side: Nullable(Side),
  position: CountOrNull,
  line: CountOrNull,
  start_line: CountOrNull,
  commit_id: Oid,
  original_position: Count,
  original_line: CountOrNull,
  original_start_line: CountOrNull,
  original_commit_id: Oid,
  /** What that commit was compared with. */
  original_base_id: Oid,
  reactions: Type.Array(Reaction),
  created_at: Time,
  updated_at: Time,
  submitted_at: Time,
  /** Of a comment that begins a conversation: when that was resolved, and by whom. */
  resolved_at: TimeOrNull,
  resolved_by: AddressOrNull,
});
export type ReviewCommentRecord = Static<typeof ReviewCommentRecord>;

export const CommitCommentRecord = Type.Object({
  type: Type.Literal('commit_comment'),
  url: Address,
  repository: Address,
  user: AddressOrNull,
  body: Text,
  formatter: Type.Literal('markdown'),
  commit_id: Oid,
  path: TextOrNull,
  position: CountOrNull,
  line: CountOrNull,
  reactions: Type.Array(Reaction),
  created_at: Time,
  updated_at: Time,
});
export type CommitCommentRecord = Static<typeof CommitCommentRecord>;

const ReleaseAssetRecord = Type.Object({
  type: Type.Literal('release_asset'),
  url: Address,
  user: AddressOrNull,
  name: Type.String({ minLength: 1, maxLength: 255 }),
  label: Nullable(Type.String({ maxLength: 255 })),
  content_type: Type.String({ maxLength: 255 }),
  size: Type.Integer({ minimum: 1 }),
  digest: Type.String({ pattern: '^sha256:[0-9a-f]{64}$' }),
  download_count: Type.Integer({ minimum: 0 }),
  /** Where its bytes are. */
  asset_url: Text,
  created_at: Time,
  updated_at: Time,
});
export type ReleaseAssetRecord = Static<typeof ReleaseAssetRecord>;

export const ReleaseRecord = Type.Object({
  type: Type.Literal('release'),
  url: Address,
  repository: Address,
  user: AddressOrNull,
  name: TextOrNull,
  tag_name: Type.String({ minLength: 1 }),
  target_commitish: Text,
  body: TextOrNull,
  state: OneOf(['draft', 'published']),
  prerelease: Type.Boolean(),
  immutable: Type.Boolean(),
  /** Whether it is the latest; `legacy` where its date decides that. */
  latest: OneOf(['true', 'false', 'legacy']),
  release_assets: Type.Array(ReleaseAssetRecord),
  reactions: Type.Array(Reaction),
  created_at: Time,
  updated_at: Time,
  published_at: TimeOrNull,
});
export type ReleaseRecord = Static<typeof ReleaseRecord>;
