// The catalogue of issue events: the kinds that Hearth records, and the public API's other kinds, each with the reason why not.

/** The kinds of issue events that something raises. */
export const issueEventKinds = [
  'added_to_merge_queue',
  'assigned',
  'automatic_base_change_failed',
  'automatic_base_change_succeeded',
  'base_ref_changed',
  'blocked_by_added',
  'blocked_by_removed',
  'blocking_added',
  'blocking_removed',
  'closed',
  'comment_deleted',
  'convert_to_draft',
  'cross-referenced',
  'demilestoned',
  'deployed',
  'deployment_environment_changed',
  'head_ref_deleted',
  'head_ref_force_pushed',
  'head_ref_restored',
  'issue_field_added',
  'issue_field_changed',
  'issue_field_removed',
  'labeled',
  'locked',
  'marked_as_duplicate',
  'mentioned',
  'merged',
  'milestoned',
  'parent_issue_added',
  'parent_issue_removed',
  'ready_for_review',
  'referenced',
  'removed_from_merge_queue',
  'renamed',
  'reopened',
  'review_dismissed',
  'review_request_removed',
  'review_requested',
  'sub_issue_added',
  'sub_issue_removed',
  'subscribed',
  'unassigned',
  'unlabeled',
  'unlocked',
  'unmarked_as_duplicate',
  'unsubscribed',
] as const;
export type IssueEventKind = (typeof issueEventKinds)[number];

/** The kinds of events that name another issue, each with the field that shows it. */
export const relationFields = {
  sub_issue_added: 'sub_issue',
  sub_issue_removed: 'sub_issue',
  parent_issue_added: 'parent_issue',
  parent_issue_removed: 'parent_issue',
  blocked_by_added: 'blocked_by',
  blocked_by_removed: 'blocked_by',
  blocking_added: 'blocking',
  blocking_removed: 'blocking',
} as const satisfies Partial<Record<IssueEventKind, string>>;
export type RelationEventKind = keyof typeof relationFields;
type RelationField = (typeof relationFields)[RelationEventKind];

/** The field in which an event shows the other issue; undefined for other kinds. */
export const relationFieldOf = (event: string): RelationField | undefined =>
  Object.hasOwn(relationFields, event) ? relationFields[event as RelationEventKind] : undefined;

const withAutoMerge = 'happens to pull requests that merge by themselves, which Hearth does not have';
const inTimelines = 'is an entry of timelines, not an event that is stored';
const withProjects = 'happens to cards of projects, which Hearth does not have';
const withIssueTypes = 'happens to types of issues, which Hearth does not have';
const notInRest = 'the public API has no REST operation that causes it';

/** The public API's kinds that nothing raises, each with the reason. */
export const kindsNotRaised = {
  added_to_project: withProjects,
  added_to_project_v2: withProjects,
  auto_merge_disabled: withAutoMerge,
  auto_merge_enabled: withAutoMerge,
  auto_rebase_enabled: withAutoMerge,
  auto_squash_enabled: withAutoMerge,
  base_ref_force_pushed: 'Hearth tells of it by the branch alone',
  'commit-commented': inTimelines,
  committed: inTimelines,
  connected: notInRest,
  converted_from_draft: withProjects,
  converted_note_to_issue: withProjects,
  converted_to_discussion: notInRest,
  disconnected: notInRest,
  issue_type_added: withIssueTypes,
  issue_type_changed: withIssueTypes,
  issue_type_removed: withIssueTypes,
  'line-commented': inTimelines,
  moved_columns_in_project: withProjects,
  pinned: notInRest,
  project_v2_item_status_changed: withProjects,
  removed_from_project: withProjects,
  removed_from_project_v2: withProjects,
  reviewed: inTimelines,
  transferred: notInRest,
  unpinned: notInRest,
  user_blocked: notInRest,
} as const satisfies Record<string, string>;
