import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Timestamp } from '#lib/shape.ts';
import { User } from '#resources/identity/accounts/index.ts';

/** Why a pull request left a merge queue (the public API's words). */
export const removalReasons = [
  'MANUAL',
  'MERGE',
  'MERGE_CONFLICT',
  'CI_FAILURE',
  'CI_TIMEOUT',
  'ALREADY_MERGED',
  'QUEUE_CLEARED',
  'BRANCH_PROTECTIONS',
  'GIT_TREE_INVALID',
  'INVALID_MERGE_COMMIT',
] as const;
export type RemovalReason = (typeof removalReasons)[number];

const states = ['queued', 'awaiting_checks', 'mergeable', 'unmergeable', 'merged', 'removed'] as const;

/** The merge of a pull request on top of those before it in the queue. */
const MergeGroup = Type.Object({
  head_ref: Type.String(),
  head_sha: Type.String(),
  base_sha: Type.String(),
  checks_requested_at: Timestamp,
  checks_passed_at: Nullable(Timestamp),
});

/** The entry of a pull request in a merge queue. `position` counts from 1; it is null after the pull request has left. */
export const MergeQueueEntry = Type.Object({
  pull_request: Type.Object({ number: Type.Integer(), title: Type.String(), url: Type.String(), html_url: Type.String() }),
  url: Type.String(),
  base_ref: Type.String(),
  head_sha: Type.String(),
  state: OneOf(states),
  position: Nullable(Type.Integer()),
  jump: Type.Boolean(),
  enqueuer: Nullable(User),
  enqueued_at: Timestamp,
  merge_group: Nullable(MergeGroup),
  removed_at: Nullable(Timestamp),
  removal_reason: Nullable(OneOf(removalReasons)),
  removal_message: Nullable(Type.String()),
});
export type MergeQueueEntry = Static<typeof MergeQueueEntry>;

/** `jump`: before all others, which are tested again on top of it. */
export const NewMergeQueueEntry = Type.Object(
  { jump: Type.Optional(Type.Boolean()), expected_head_sha: Type.Optional(Type.String({ pattern: '^[0-9a-f]{40}$' })) },
  { title: 'MergeQueueEntry' },
);
export type NewMergeQueueEntry = Static<typeof NewMergeQueueEntry>;

export const mergeMethods = ['MERGE', 'SQUASH', 'REBASE'] as const;

/** How the merge queue of a branch works, by the rule that demands it. */
export const MergeQueueConfiguration = Type.Object({
  check_response_timeout_minutes: Type.Integer(),
  grouping_strategy: OneOf(['ALLGREEN', 'HEADGREEN']),
  max_entries_to_build: Type.Integer(),
  max_entries_to_merge: Type.Integer(),
  merge_method: OneOf(mergeMethods),
  min_entries_to_merge: Type.Integer(),
  min_entries_to_merge_wait_minutes: Type.Integer(),
});
