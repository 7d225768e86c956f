import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Timestamp, withDefault } from '#lib/shape.ts';
import { associations, lockReasons, renderedTexts, states } from '#resources/collaboration/issues/index.ts';
import { Milestone } from '#resources/collaboration/milestones/index.ts';
import { User } from '#resources/identity/accounts/index.ts';
import { Team, TeamSimple } from '#resources/identity/teams/index.ts';
import { Label } from '#resources/repositories/labels/index.ts';
import { MinimalRepository } from '#resources/repositories/repositories/index.ts';

/** One end of a pull request: a branch with its commit. The repository is null where it was deleted, or may not be read. */
const End = Type.Object({
  label: Type.String(),
  ref: Type.String(),
  sha: Type.String(),
  user: Nullable(User),
  repo: Nullable(MinimalRepository),
});

const Link = Type.Object({ href: Type.String() });

/** A pull request in lists. */
export const PullRequest = Type.Object({
  url: Type.String(),
  id: Type.Integer(),
  node_id: Type.String(),
  html_url: Type.String(),
  diff_url: Type.String(),
  patch_url: Type.String(),
  issue_url: Type.String(),
  commits_url: Type.String(),
  review_comments_url: Type.String(),
  review_comment_url: Type.String(),
  comments_url: Type.String(),
  statuses_url: Type.String(),
  number: Type.Integer(),
  state: OneOf(states),
  locked: Type.Boolean(),
  title: Type.String(),
  user: Nullable(User),
  body: Type.Optional(Nullable(Type.String())),
  ...renderedTexts,
  labels: Type.Array(Label),
  milestone: Nullable(Milestone),
  active_lock_reason: Nullable(OneOf(lockReasons)),
  created_at: Timestamp,
  updated_at: Timestamp,
  closed_at: Nullable(Timestamp),
  merged_at: Nullable(Timestamp),
  merge_commit_sha: Nullable(Type.String()),
  assignee: Nullable(User),
  assignees: Type.Array(User),
  requested_reviewers: Type.Array(User),
  requested_teams: Type.Array(Team),
  head: End,
  base: End,
  _links: Type.Object({
    self: Link,
    html: Link,
    issue: Link,
    comments: Link,
    review_comments: Link,
    review_comment: Link,
    commits: Link,
    statuses: Link,
  }),
  author_association: OneOf(associations),
  /** Merges that wait for their conditions are not built. */
  auto_merge: Type.Null(),
  draft: Type.Boolean(),
});
export type PullRequest = Static<typeof PullRequest>;

/** Whether a pull request can be merged, and what keeps it from that. `unknown`: it is being found out. */
export const mergeableStates = ['behind', 'blocked', 'clean', 'dirty', 'draft', 'unknown', 'unstable'] as const;

/** One pull request, with what Git says of it. As in the public API, the parents of its teams are in lists alone. */
export const FullPullRequest = Type.Object({
  ...PullRequest.properties,
  requested_teams: Type.Array(TeamSimple),
  merged: Type.Boolean(),
  mergeable: Nullable(Type.Boolean()),
  rebaseable: Nullable(Type.Boolean()),
  mergeable_state: OneOf(mergeableStates),
  merged_by: Nullable(User),
  comments: Type.Integer(),
  review_comments: Type.Integer(),
  maintainer_can_modify: Type.Boolean(),
  commits: Type.Integer(),
  additions: Type.Integer(),
  deletions: Type.Integer(),
  changed_files: Type.Integer(),
});
export type FullPullRequest = Static<typeof FullPullRequest>;

/** The public API's limit for a text: 65,536 characters. */
const text = Type.String({ maxLength: 65_536 });
const branchName = Type.String({ minLength: 1, maxLength: 1_024 });
const title = Type.String({ minLength: 1, maxLength: 256 });

/** Either a title, or an issue that becomes the pull request. */
export const NewPullRequest = Type.Object(
  {
    title: Type.Optional(title),
    issue: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647 })),
    body: Type.Optional(Nullable(text)),
    head: branchName,
    head_repo: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    base: branchName,
    maintainer_can_modify: withDefault(Type.Boolean(), true),
    draft: withDefault(Type.Boolean(), false),
  },
  { title: 'PullRequest' },
);
export type NewPullRequest = Static<typeof NewPullRequest>;

export const PullRequestChange = Type.Object(
  {
    title: Type.Optional(title),
    body: Type.Optional(Nullable(text)),
    state: Type.Optional(OneOf(states)),
    base: Type.Optional(branchName),
    /** Not in the public API, where only pages and another interface can change it. */
    draft: Type.Optional(Type.Boolean()),
    maintainer_can_modify: Type.Optional(Type.Boolean()),
  },
  { title: 'PullRequest' },
);
export type PullRequestChange = Static<typeof PullRequestChange>;

export const mergeMethods = ['merge', 'squash', 'rebase'] as const;
export type MergeMethod = (typeof mergeMethods)[number];

const sha = Type.String({ pattern: '^[0-9a-f]{40}$' });

export const NewPullMerge = Type.Object(
  {
    commit_title: Type.Optional(Type.String({ maxLength: 65_536 })),
    commit_message: Type.Optional(text),
    sha: Type.Optional(sha),
    merge_method: Type.Optional(OneOf(mergeMethods)),
  },
  { title: 'PullRequest' },
);
export type NewPullMerge = Static<typeof NewPullMerge>;

export const MergeResult = Type.Object({ sha: Type.String(), merged: Type.Boolean(), message: Type.String() });
export type MergeResult = Static<typeof MergeResult>;

export const BranchUpdate = Type.Object({ expected_head_sha: Type.Optional(sha) }, { title: 'PullRequest' });
export const BranchUpdateResult = Type.Object({ message: Type.String(), url: Type.String() });

const login = Type.String({ minLength: 1, maxLength: 100 });
const slug = Type.String({ minLength: 1, maxLength: 255 });

/** The requested reviewers. Teams that the viewer may not see are left out. */
export const ReviewRequests = Type.Object(
  { users: Type.Array(User), teams: Type.Array(Team) },
  { title: 'PullRequestReviewRequest' },
);
export type ReviewRequests = Static<typeof ReviewRequests>;

/** People by their logins, teams by their slugs. */
export const NewReviewers = Type.Object(
  {
    reviewers: Type.Optional(Type.Array(login, { maxItems: 100 })),
    team_reviewers: Type.Optional(Type.Array(slug, { maxItems: 100 })),
  },
  { title: 'PullRequest' },
);
export type NewReviewers = Static<typeof NewReviewers>;

export const ReviewersToRemove = Type.Object(
  { reviewers: Type.Array(login, { maxItems: 100 }), team_reviewers: Type.Optional(Type.Array(slug, { maxItems: 100 })) },
  { title: 'PullRequest' },
);
export type ReviewersToRemove = Static<typeof ReviewersToRemove>;
