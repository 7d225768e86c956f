// What an archive consists of: the format that the public API's archives have. docs/migrations.md describes it.

import { type Static, type TSchema, Type } from 'typebox';
import { permissionWords } from '#access/roles.ts';
import { fixedValue } from '#lib/limits.ts';
import { Nullable, OneOf } from '#lib/shape.ts';
import { relationLimits } from '#resources/collaboration/issue-relations/index.ts';
import { maxCommits, reviewerLimits } from '#resources/collaboration/pulls/index.ts';
import { ProtectedBranchRecord, RulesetRecord } from './protection-format.ts';
import { CommitCommentRecord, PullRequestReviewRecord, ReleaseRecord, ReviewCommentRecord } from './said-format.ts';
import { Address, AddressOrNull, Count, Oid, Reaction, Text, TextOrNull, Time, TimeOrNull } from './shapes.ts';

export type { Address } from './shapes.ts';

/** The version of the format that is written. Archives of another first number can't be read. */
export const formatVersion = '1.0.0';

/**
 * The kinds of objects that archives have, each in JSON files of its own: those of document 2, and teams, which only an archive
 * of an organization has, and rulesets.
 */
export const kinds = [
  'attachments',
  'bases',
  'commit_comments',
  'issue_comments',
  'issue_events',
  'issues',
  'milestones',
  'organizations',
  'projects',
  'protected_branches',
  'pull_request_reviews',
  'pull_requests',
  'releases',
  'repositories',
  'review_comments',
  'rulesets',
  'teams',
  'users',
] as const;
export type Kind = (typeof kinds)[number];

/** Objects of one JSON file. */
export const pageSize = 100;

/** The name of a page of objects, as `issues_000001.json`. Pages count from 1. */
export const pageName = (kind: Kind, page: number): string => `${kind}_${String(page).padStart(6, '0')}.json`;

const UserRecord = Type.Object({
  type: OneOf(['user', 'bot']),
  url: Address,
  login: Text,
  name: TextOrNull,
  bio: TextOrNull,
  company: TextOrNull,
  website: TextOrNull,
  location: TextOrNull,
  /** Of the person whose archive it is alone. */
  emails: Type.Array(Type.Object({ address: Text, primary: Type.Boolean() })),
  created_at: Time,
});
export type UserRecord = Static<typeof UserRecord>;

const OrganizationRecord = Type.Object({
  type: Type.Literal('organization'),
  url: Address,
  login: Text,
  name: TextOrNull,
  description: TextOrNull,
  website: TextOrNull,
  location: TextOrNull,
  members: Type.Array(Type.Object({ user: Address, role: OneOf(['admin', 'member']) })),
  created_at: Time,
});
export type OrganizationRecord = Static<typeof OrganizationRecord>;

const TeamRecord = Type.Object({
  type: Type.Literal('team'),
  url: Address,
  organization: Address,
  parent_team: AddressOrNull,
  name: Type.String({ minLength: 1 }),
  description: TextOrNull,
  privacy: OneOf(['secret', 'closed']),
  members: Type.Array(Type.Object({ user: Address, role: OneOf(['member', 'maintainer']) })),
  /** The roles in the repositories of the archive. */
  permissions: Type.Array(Type.Object({ repository: Address, access: OneOf(permissionWords) })),
  created_at: Time,
});
export type TeamRecord = Static<typeof TeamRecord>;

const LabelRecord = Type.Object({
  url: Address,
  name: Type.String({ minLength: 1 }),
  color: Type.String({ pattern: '^[0-9a-fA-F]{6}$' }),
  description: TextOrNull,
  default: Type.Boolean(),
});
export type LabelRecord = Static<typeof LabelRecord>;

const RepositoryRecord = Type.Object({
  type: Type.Literal('repository'),
  url: Address,
  owner: Address,
  name: Text,
  description: TextOrNull,
  website: TextOrNull,
  private: Type.Boolean(),
  visibility: OneOf(['public', 'private', 'internal']),
  is_archived: Type.Boolean(),
  is_template: Type.Boolean(),
  has_issues: Type.Boolean(),
  /** Archives of other servers may have projects, wikis and discussions, which are left out. */
  has_projects: Type.Boolean(),
  has_wiki: Type.Boolean(),
  has_downloads: Type.Boolean(),
  has_discussions: Type.Boolean(),
  /** Older archives lack these. */
  has_pull_requests: Type.Optional(Type.Boolean()),
  pull_request_creation_policy: Type.Optional(OneOf(['all', 'collaborators_only'])),
  web_commit_signoff_required: Type.Optional(Type.Boolean()),
  topics: Type.Array(Text),
  default_branch: Text,
  labels: Type.Array(LabelRecord),
  /** Where the Git data is; null where the archive has none. */
  git_url: TextOrNull,
  created_at: Time,
  pushed_at: TimeOrNull,
});
export type RepositoryRecord = Static<typeof RepositoryRecord>;

const State = OneOf(['open', 'closed']);
const StateReason = Nullable(OneOf(['completed', 'reopened', 'not_planned', 'duplicate']));

const MilestoneRecord = Type.Object({
  type: Type.Literal('milestone'),
  url: Address,
  repository: Address,
  user: AddressOrNull,
  title: Text,
  description: TextOrNull,
  state: State,
  due_on: TimeOrNull,
  created_at: Time,
  updated_at: Time,
  closed_at: TimeOrNull,
});
export type MilestoneRecord = Static<typeof MilestoneRecord>;

/** What issues and pull requests have in common. */
const OfBoth = Type.Object({
  url: Address,
  repository: Address,
  user: AddressOrNull,
  title: Text,
  body: TextOrNull,
  state: State,
  assignee: AddressOrNull,
  assignees: Type.Array(Address),
  milestone: AddressOrNull,
  labels: Type.Array(Address),
  locked: Type.Boolean(),
  active_lock_reason: Nullable(OneOf(['off-topic', 'too heated', 'resolved', 'spam'])),
  reactions: Type.Array(Reaction),
  created_at: Time,
  updated_at: Time,
  closed_at: TimeOrNull,
  closed_by: AddressOrNull,
});
export type RecordOfBoth = Static<typeof OfBoth>;

/** Another issue, and since when it is a sub-issue of this one or blocks it. */
const Related = Type.Object({ issue: Address, created_at: Time });

const IssueRecord = Type.Object({
  type: Type.Literal('issue'),
  ...OfBoth.properties,
  state_reason: StateReason,
  duplicate_of: Type.Optional(AddressOrNull),
  /** In their order. Issues of repositories that aren't in the archive are left out of it, as of the others. */
  sub_issues: Type.Optional(Type.Array(Related, { maxItems: fixedValue(relationLimits.subIssues) })),
  blocked_by: Type.Optional(Type.Array(Related, { maxItems: fixedValue(relationLimits.dependencies) })),
});
export type IssueRecord = Static<typeof IssueRecord>;

/** A branch of a pull request with its commit. The repository is null where it isn't there any more, or is hidden. */
const BranchRecord = Type.Object({ ref: Type.String({ minLength: 1 }), sha: Oid, user: AddressOrNull, repo: AddressOrNull });

const PullRequestRecord = Type.Object({
  type: Type.Literal('pull_request'),
  ...OfBoth.properties,
  base: BranchRecord,
  head: BranchRecord,
  /** Whether the head is deleted. */
  head_deleted: Type.Boolean(),
  /** The common commit of both branches, and the changes since. */
  merge_base_sha: Oid,
  commits: Count,
  additions: Count,
  deletions: Count,
  changed_files: Count,
  /** Whether it is a draft. */
  work_in_progress: Type.Boolean(),
  maintainer_can_modify: Type.Boolean(),
  merged_at: TimeOrNull,
  merged_by: AddressOrNull,
  merge_commit_sha: Nullable(Oid),
  /** Its commits, oldest first, each with the time at which it came. */
  commit_ids: Type.Optional(Type.Array(Type.Object({ sha: Oid, added_at: Time }), { maxItems: maxCommits })),
  /** The people and teams that are requested as reviewers. */
  review_requests: Type.Optional(Type.Array(Address, { maxItems: fixedValue(reviewerLimits.requests) })),
});
export type PullRequestRecord = Static<typeof PullRequestRecord>;

/** What comments and events are about: one of both. */
const ofIssue = { issue: Type.Optional(Address), pull_request: Type.Optional(Address) };

const IssueCommentRecord = Type.Object({
  type: Type.Literal('issue_comment'),
  url: Address,
  ...ofIssue,
  user: AddressOrNull,
  body: Text,
  formatter: Type.Literal('markdown'),
  reactions: Type.Array(Reaction),
  created_at: Time,
  updated_at: Time,
});
export type IssueCommentRecord = Static<typeof IssueCommentRecord>;

/** What happened to an issue or a pull request. The optional fields are there where the kind of event has them. */
const IssueEventRecord = Type.Object({
  type: Type.Literal('issue_event'),
  url: Address,
  ...ofIssue,
  actor: AddressOrNull,
  event: Type.String({ pattern: '^[a-z_-]{1,100}$' }),
  commit_id: TextOrNull,
  label_name: Type.Optional(Text),
  label_color: Type.Optional(Text),
  milestone_title: Type.Optional(Text),
  title_was: Type.Optional(Text),
  title_is: Type.Optional(Text),
  /** The person or team that was assigned or requested as a reviewer. */
  subject: Type.Optional(AddressOrNull),
  /** The other issue of the same repository, where the event names one. */
  source: Type.Optional(Address),
  dismissed_review: Type.Optional(
    Type.Object({
      review: AddressOrNull,
      state: OneOf(['approved', 'changes_requested']),
      dismissal_message: TextOrNull,
      dismissal_commit_id: Text,
    }),
  ),
  state_reason: Type.Optional(StateReason),
  lock_reason: Type.Optional(TextOrNull),
  created_at: Time,
});
export type IssueEventRecord = Static<typeof IssueEventRecord>;

/** The objects of each kind that Hearth has. */
export const shapes = {
  users: UserRecord,
  organizations: OrganizationRecord,
  teams: TeamRecord,
  repositories: RepositoryRecord,
  milestones: MilestoneRecord,
  issues: IssueRecord,
  pull_requests: PullRequestRecord,
  issue_comments: IssueCommentRecord,
  pull_request_reviews: PullRequestReviewRecord,
  review_comments: ReviewCommentRecord,
  issue_events: IssueEventRecord,
  commit_comments: CommitCommentRecord,
  releases: ReleaseRecord,
  protected_branches: ProtectedBranchRecord,
  rulesets: RulesetRecord,
} as const satisfies Partial<Record<Kind, TSchema>>;
export type KindWithObjects = keyof typeof shapes;
export type RecordOf<K extends KindWithObjects> = Static<(typeof shapes)[K]>;

/** The folder of a repository's Git data in the archive, and the address that its object has for it. */
export const gitFolder = (owner: string, name: string): string => `repositories/${owner}/${name}.git`;
export const gitAddress = (owner: string, name: string): string => `tarball://root/${gitFolder(owner, name)}`;

/**
 * The file of a release's file in the archive, and the address that its object has for it. `id` is a number of the archive's own.
 */
export const assetFile = (owner: string, name: string, id: number): string => `releases/${owner}/${name}/${id}`;
export const assetAddress = (owner: string, name: string, id: number): string => `tarball://root/${assetFile(owner, name, id)}`;
