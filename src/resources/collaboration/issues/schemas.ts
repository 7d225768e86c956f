import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Refused, Timestamp } from '#lib/shape.ts';
import { GitCommit } from '#resources/code/commits/index.ts';
import { dataTypes, IssueFieldValue, SomeValues } from '#resources/collaboration/issue-fields/index.ts';
import { Milestone } from '#resources/collaboration/milestones/index.ts';
import { ReactionRollup } from '#resources/collaboration/reactions/index.ts';
import { User } from '#resources/identity/accounts/index.ts';
import { Team } from '#resources/identity/teams/index.ts';
import { App } from '#resources/repositories/apps/index.ts';
import { Label } from '#resources/repositories/labels/index.ts';
import { MinimalRepository, SimpleRepository } from '#resources/repositories/repositories/index.ts';
import { Rendered } from '#text/rendered-html.ts';

export const states = ['open', 'closed'] as const;
export const stateReasons = ['completed', 'reopened', 'not_planned', 'duplicate'] as const;
export const lockReasons = ['off-topic', 'too heated', 'resolved', 'spam'] as const;
/** An author's association with the repository, limited to what the viewer may see. */
export const associations = ['OWNER', 'MEMBER', 'COLLABORATOR', 'NONE'] as const;
export type Association = (typeof associations)[number];

/** The renderings of a body. They replace it or are added to it, depending on the media type of the request. */
export const renderedTexts = { body_text: Type.Optional(Type.String()), body_html: Type.Optional(Rendered) };

/** The addresses of a pull request, and when it was merged. */
const PullRequestLinks = Type.Object({
  url: Type.String(),
  html_url: Type.String(),
  diff_url: Type.String(),
  patch_url: Type.String(),
  merged_at: Nullable(Timestamp),
});

/** An issue's relations to others that the viewer may read. */
const relations = {
  sub_issues_summary: Type.Object({ total: Type.Integer(), completed: Type.Integer(), percent_completed: Type.Integer() }),
  parent_issue_url: Nullable(Type.String()),
  /** The numbers of open ones, and of all. */
  issue_dependencies_summary: Type.Object({
    blocked_by: Type.Integer(),
    blocking: Type.Integer(),
    total_blocked_by: Type.Integer(),
    total_blocking: Type.Integer(),
  }),
};
const Relations = Type.Object(relations);
export type Relations = Static<typeof Relations>;

export const Issue = Type.Object({
  id: Type.Integer(),
  node_id: Type.String(),
  url: Type.String(),
  repository_url: Type.String(),
  labels_url: Type.String(),
  comments_url: Type.String(),
  events_url: Type.String(),
  html_url: Type.String(),
  timeline_url: Type.String(),
  number: Type.Integer(),
  state: OneOf(states),
  state_reason: Nullable(OneOf(stateReasons)),
  title: Type.String(),
  body: Type.Optional(Nullable(Type.String())),
  ...renderedTexts,
  user: Nullable(User),
  labels: Type.Array(Label),
  /** Only pull requests have these two. */
  draft: Type.Optional(Type.Boolean()),
  pull_request: Type.Optional(PullRequestLinks),
  assignee: Nullable(User),
  assignees: Type.Array(User),
  milestone: Nullable(Milestone),
  locked: Type.Boolean(),
  active_lock_reason: Nullable(OneOf(lockReasons)),
  comments: Type.Integer(),
  closed_at: Nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
  closed_by: Nullable(User),
  author_association: OneOf(associations),
  performed_via_service_app: Nullable(App),
  reactions: ReactionRollup,
  issue_field_values: Type.Array(IssueFieldValue),
  ...relations,
  repository: Type.Optional(MinimalRepository),
});
export type Issue = Static<typeof Issue>;

export const IssueComment = Type.Object({
  id: Type.Integer(),
  node_id: Type.String(),
  url: Type.String(),
  html_url: Type.String(),
  issue_url: Type.String(),
  body: Type.Optional(Type.String()),
  ...renderedTexts,
  user: Nullable(User),
  created_at: Timestamp,
  updated_at: Timestamp,
  author_association: OneOf(associations),
  performed_via_service_app: Nullable(App),
  reactions: ReactionRollup,
});
export type IssueComment = Static<typeof IssueComment>;

/** A comment in the timeline of its issue. */
export const TimelineComment = Type.Object({
  event: OneOf(['commented']),
  actor: Nullable(User),
  ...IssueComment.properties,
});
export type TimelineComment = Static<typeof TimelineComment>;

const FieldValue = Type.Union([Type.String(), Type.Number(), Type.Array(Type.String())]);
const FieldChange = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  data_type: OneOf(dataTypes),
  value: Type.Optional(FieldValue),
  previous_value: Type.Optional(FieldValue),
});

/** The current state of the other issue of an event. Hearth has no issue types. */
const IssueReference = Type.Object({
  number: Type.Integer(),
  title: Type.String(),
  state: OneOf(states),
  state_reason: Nullable(OneOf(stateReasons)),
  repository: SimpleRepository,
  issue_type: Type.Null(),
});
export type IssueReference = Static<typeof IssueReference>;

/** The fields of events, in lists of events and in timelines. The optional fields depend on the kind of event. */
const eventFields = {
  id: Type.Integer(),
  node_id: Type.String(),
  url: Type.String(),
  actor: Nullable(User),
  event: Type.String(),
  commit_id: Nullable(Type.String()),
  commit_url: Nullable(Type.String()),
  created_at: Timestamp,
  performed_via_service_app: Nullable(App),
  label: Type.Optional(Type.Object({ name: Type.String(), color: Type.String() })),
  assignee: Type.Optional(Nullable(User)),
  review_requester: Type.Optional(Nullable(User)),
  requested_reviewer: Type.Optional(Nullable(User)),
  requested_team: Type.Optional(Team),
  milestone: Type.Optional(Type.Object({ title: Type.String() })),
  rename: Type.Optional(Type.Object({ from: Type.String(), to: Type.String() })),
  lock_reason: Type.Optional(Nullable(Type.String())),
  issue_field: Type.Optional(FieldChange),
  sub_issue: Type.Optional(IssueReference),
  parent_issue: Type.Optional(IssueReference),
  blocked_by: Type.Optional(IssueReference),
  blocking: Type.Optional(IssueReference),
  dismissed_review: Type.Optional(
    Type.Object({
      state: OneOf(['approved', 'changes_requested']),
      review_id: Type.Integer(),
      dismissal_message: Nullable(Type.String()),
      dismissal_commit_id: Type.String(),
    }),
  ),
};

/** An event in a list of events. `issue` is set in lists over many issues. */
export const IssueEvent = Type.Object({
  ...eventFields,
  assigner: Type.Optional(Nullable(User)),
  issue: Type.Optional(Issue),
});
export type IssueEvent = Static<typeof IssueEvent>;

/**
 * An event in the timeline of its issue. As in the public API, only timelines have the reason why an issue was closed, and they
 * don't have the assigner.
 */
export const TimelineEvent = Type.Object({ ...eventFields, state_reason: Type.Optional(Nullable(OneOf(stateReasons))) });
export type TimelineEvent = Static<typeof TimelineEvent>;

/** In the timeline of an issue: another issue, or a comment on it, refers to this one. */
export const CrossReference = Type.Object({
  event: OneOf(['cross-referenced']),
  actor: Nullable(User),
  created_at: Timestamp,
  updated_at: Timestamp,
  source: Type.Object({ type: OneOf(['issue']), issue: Issue }),
});
export type CrossReference = Static<typeof CrossReference>;

/** In the timeline of a pull request: one of its commits. */
export const TimelineCommit = Type.Object({ event: OneOf(['committed']), ...GitCommit.properties });
export type TimelineCommit = Static<typeof TimelineCommit>;

/** The public API's limit for a text: 65,536 characters. */
const text = Type.String({ maxLength: 65_536 });
/** Old clients send numbers as titles. */
const title = Type.Union([Type.String({ minLength: 1, maxLength: 256 }), Type.Integer()]);
const login = Type.String({ minLength: 1, maxLength: 100 });
const labelName = Type.String({ minLength: 1, maxLength: 50 });

/** Nobody reviews suggestions here, so a change that is meant as one is refused. */
const suggest = Type.Optional(Type.Literal(false));
export const LabelNames = Type.Array(Type.Union([labelName, Type.Object({ name: labelName, suggest })]), { maxItems: 100 });
const assignees = (most: number) =>
  Type.Optional(Type.Array(Type.Union([login, Type.Object({ login, suggest })]), { maxItems: most }));

const fields = {
  body: Type.Optional(Nullable(text)),
  labels: Type.Optional(LabelNames),
  assignees: assignees(10),
  assignee: Type.Optional(Nullable(Type.String({ maxLength: 100 }))),
  milestone: Type.Optional(
    Nullable(
      Type.Union([Type.Integer({ minimum: 1, maximum: 2_147_483_647 }), Type.String({ pattern: '^[0-9]*$', maxLength: 9 })]),
    ),
  ),
  issue_field_values: Type.Optional(SomeValues),
  type: Refused(null),
};

export const NewIssue = Type.Object({ title, ...fields }, { title: 'Issue' });
export type NewIssue = Static<typeof NewIssue>;

export const IssueChange = Type.Object(
  {
    title: Type.Optional(Nullable(title)),
    ...fields,
    state: Type.Optional(OneOf(states)),
    state_reason: Type.Optional(Nullable(OneOf(stateReasons))),
    duplicate_issue_id: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
  },
  { title: 'Issue' },
);
export type IssueChange = Static<typeof IssueChange>;

export const NewComment = Type.Object({ body: Type.String({ minLength: 1, maxLength: 65_536 }) }, { title: 'IssueComment' });

/** A list, or an object with a list: the public API accepts both. */
export const SomeLabels = Type.Union([LabelNames, Type.Object({ labels: Type.Optional(LabelNames) })], { title: 'Label' });

export const SomeAssignees = Type.Object({ assignees: assignees(100) }, { title: 'Issue' });
export type SomeAssignees = Static<typeof SomeAssignees>;

export const Lock = Type.Object({ lock_reason: Type.Optional(Nullable(OneOf(lockReasons))) }, { title: 'Issue' });

export const FieldValues = Type.Object({ issue_field_values: Type.Optional(SomeValues) }, { title: 'IssueFieldValue' });
