import { type Static, Type } from 'typebox';
import { Nullable, OneOf } from '#lib/shape.ts';
import { User } from '#resources/identity/accounts/index.ts';

/** Who has to do something before a pull request can be merged. */
const turns = ['author', 'reviewers', 'checks', 'maintainers', 'queue', 'server'] as const;
export type Turn = (typeof turns)[number];

const Reason = Type.Object({
  /** `rule`: a rule of the base branch; the others are facts about the pull request. */
  kind: OneOf(['rule', 'conflicts', 'draft', 'queue', 'testing', 'base']),
  /** The type of the rule; null for other reasons. */
  rule: Nullable(Type.String()),
  state: OneOf(['kept', 'broken', 'waiting', 'bypassed', 'tried_out']),
  message: Type.String(),
  /** Where the rule comes from. */
  source: Nullable(Type.String()),
  /** Whose turn it is; null where nothing has to happen. */
  turn: Nullable(OneOf(turns)),
});
export type Reason = Static<typeof Reason>;

const Reviewer = Type.Object({
  user: Nullable(User),
  state: OneOf(['approved', 'changes_requested', 'dismissed']),
  is_of_present_head: Type.Boolean(),
});

/** What keeps a pull request from being merged, whose turn it is, and what its reviewers have decided. */
export const MergeState = Type.Object({
  reasons: Type.Array(Reason),
  /** Whether the viewer could merge it, or add it to the queue, at once. */
  is_ready: Type.Boolean(),
  /** Whether the viewer's role and the settings of the repository let the viewer merge at all. */
  may_merge: Type.Boolean(),
  methods: Type.Array(OneOf(['merge', 'squash', 'rebase'])),
  /** Whether the base has a merge queue. */
  has_queue: Type.Boolean(),
  queue: Nullable(Type.Object({ position: Nullable(Type.Integer()), state: Type.String(), waits_for: Nullable(Type.String()) })),
  reviewers: Type.Array(Reviewer),
  head_is_deleted: Type.Boolean(),
});
export type MergeState = Static<typeof MergeState>;
