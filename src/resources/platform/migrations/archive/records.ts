// Rows as the objects of an archive.

import { wordOfRole } from '#access/roles.ts';
import type { Account, RepositoryRow } from '#access/viewer.ts';
import { path } from '#endpoint/links.ts';
import { getOptional, getOrThrow } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { timestamp, timestampOrNull } from '#lib/time.ts';
import type { RelatedIssue } from '#resources/collaboration/issue-relations/index.ts';
import type { ArchivedEvent, CommentRow, IssueRow, OfIssue } from '#resources/collaboration/issues/index.ts';
import type { MilestoneRow } from '#resources/collaboration/milestones/index.ts';
import type { PullCommit, PullRow, ReviewRequest } from '#resources/collaboration/pulls/index.ts';
import type { ReactionRow } from '#resources/collaboration/reactions/index.ts';
import type { EmailRow } from '#resources/identity/accounts/index.ts';
import type { TeamMember, TeamRole, TeamRow } from '#resources/identity/teams/index.ts';
import type { LabelRow } from '#resources/repositories/labels/index.ts';
import {
  type Address,
  gitAddress,
  type IssueCommentRecord,
  type IssueEventRecord,
  type IssueRecord,
  type LabelRecord,
  type MilestoneRecord,
  type PullRequestRecord,
  type RecordOfBoth,
  type RepositoryRecord,
  type TeamRecord,
  type UserRecord,
} from './format.ts';

export type Accounts = ReadonlyMap<Id<'accounts'>, Account>;
/** The addresses of repositories, of those in the archive alone where nothing else is said. */
type Urls = ReadonlyMap<Id<'repositories'>, Address>;
type Teams = ReadonlyMap<Id<'teams'>, TeamRow>;

/** A repository with the address that its objects are below. */
export type ArchivedRepository = { row: RepositoryRow; owner: Account; url: Address };

export const addressOf = (html: string, account: Pick<Account, 'login'>): Address => path(html, account.login);

export const addressOrNull = (html: string, accounts: Accounts, id: Id<'accounts'> | null | undefined): Address | null => {
  const account = getOptional(accounts, id);
  return account ? addressOf(html, account) : null;
};

const orNull = (text: string | null): string | null => (text === '' ? null : text);

/** A user. The e-mail addresses are those of whom the archive is; others' are private. */
export const userRecord = (html: string, account: Account, emails: readonly EmailRow[]): UserRecord => ({
  type: account.kind === 'bot' ? 'bot' : 'user',
  url: addressOf(html, account),
  login: account.login,
  name: account.name,
  bio: account.bio,
  company: account.company,
  website: orNull(account.blog),
  location: account.location,
  emails: emails
    .filter(({ account_id }) => account_id === account.id)
    .map(({ email, is_primary }) => ({ address: email, primary: is_primary })),
  created_at: timestamp(account.created_at),
});

/** What belongs to teams beside their rows. */
type TeamParts = {
  parents: ReadonlyMap<Id<'teams'>, TeamRow>;
  membersOf: ReadonlyMap<Id<'teams'>, readonly TeamMember[]>;
  accounts: Accounts;
  rolesOf: ReadonlyMap<Id<'teams'>, readonly TeamRole[]>;
  /** The addresses of the repositories. */
  urls: Urls;
};

export const teamAddress = (html: string, { login }: Pick<Account, 'login'>, { slug }: Pick<TeamRow, 'slug'>): Address =>
  path(html, 'orgs', login, 'teams', slug);

export const teamRecord = (html: string, organization: Account, row: TeamRow, parts: TeamParts): TeamRecord => {
  const parent = getOptional(parts.parents, row.parent_id);
  return {
    type: 'team',
    url: teamAddress(html, organization, row),
    organization: addressOf(html, organization),
    parent_team: parent ? teamAddress(html, organization, parent) : null,
    name: row.name,
    description: row.description,
    privacy: row.privacy,
    members: (parts.membersOf.get(row.id) ?? []).map(({ user_id, role }) => ({
      user: addressOf(html, getOrThrow(parts.accounts, user_id)),
      role,
    })),
    permissions: (parts.rolesOf.get(row.id) ?? []).map(({ repository_id, role }) => ({
      repository: getOrThrow(parts.urls, repository_id),
      access: wordOfRole(role),
    })),
    created_at: timestamp(row.created_at),
  };
};

const labelRecord = ({ url }: ArchivedRepository, row: LabelRow): LabelRecord => ({
  url: path(url, 'labels', row.name),
  name: row.name,
  color: row.color,
  description: row.description,
  default: row.is_default,
});

export const repositoryRecord = (
  html: string,
  archived: ArchivedRepository,
  { labels, hasGit }: { labels: readonly LabelRow[]; hasGit: boolean },
): RepositoryRecord => {
  const { row, owner, url } = archived;
  return {
    type: 'repository',
    url,
    owner: addressOf(html, owner),
    name: row.name,
    description: row.description,
    website: row.homepage,
    private: row.visibility !== 'public',
    visibility: row.visibility,
    is_archived: row.archived,
    is_template: row.is_template,
    has_issues: row.has_issues,
    has_pull_requests: row.has_pull_requests,
    pull_request_creation_policy: row.pull_request_creation_policy,
    web_commit_signoff_required: row.web_commit_signoff_required,
    has_projects: false,
    has_wiki: false,
    has_downloads: row.has_downloads,
    has_discussions: false,
    topics: row.topics,
    default_branch: row.default_branch,
    labels: labels.map((label) => labelRecord(archived, label)),
    git_url: hasGit ? gitAddress(owner.login, row.name) : null,
    created_at: timestamp(row.created_at),
    pushed_at: timestampOrNull(row.pushed_at),
  };
};

export const milestoneRecord = (
  html: string,
  archived: ArchivedRepository,
  row: Omit<MilestoneRow, 'open_issues' | 'closed_issues'>,
  accounts: Accounts,
): MilestoneRecord => ({
  type: 'milestone',
  url: path(archived.url, 'milestones', row.number),
  repository: archived.url,
  user: addressOrNull(html, accounts, row.creator_id),
  title: row.title,
  description: row.description,
  state: row.state,
  due_on: timestampOrNull(row.due_on),
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
  closed_at: timestampOrNull(row.closed_at),
});

export const reactionRecords = (html: string, rows: readonly ReactionRow[], accounts: Accounts): IssueRecord['reactions'] =>
  rows.map((row) => ({
    user: addressOrNull(html, accounts, row.user_id),
    content: row.content,
    created_at: timestamp(row.created_at),
  }));

export const pullAddress = ({ url }: ArchivedRepository, number: number): Address => path(url, 'pull', number);

export const reviewAddress = (archived: ArchivedRepository, number: number, id: Id<'reviews'>): Address =>
  `${pullAddress(archived, number)}#pullrequestreview-${id}`;

const issueAddress = ({ url }: Pick<ArchivedRepository, 'url'>, { number, is_pull_request }: OfIssue): Address =>
  path(url, is_pull_request ? 'pull' : 'issues', number);

/** What a comment or an event is about. */
const aboutIssue = (archived: ArchivedRepository, row: OfIssue) =>
  row.is_pull_request ? { pull_request: issueAddress(archived, row) } : { issue: issueAddress(archived, row) };

/** What belongs to an issue beside its row. */
export type IssueParts = {
  labels: readonly LabelRow[];
  assignees: readonly Id<'accounts'>[];
  milestone: number | undefined;
  reactions: readonly ReactionRow[];
  accounts: Accounts;
};

/** What issues and pull requests have in common. */
function recordOfBoth(html: string, archived: ArchivedRepository, row: IssueRow, parts: IssueParts): RecordOfBoth {
  const { labels, assignees, milestone, reactions, accounts } = parts;
  const assigned = assignees.flatMap((id) => addressOrNull(html, accounts, id) ?? []);
  return {
    url: issueAddress(archived, row),
    repository: archived.url,
    user: addressOrNull(html, accounts, row.author_id),
    title: row.title,
    body: row.body,
    state: row.state,
    assignee: assigned[0] ?? null,
    assignees: assigned,
    milestone: milestone === undefined ? null : path(archived.url, 'milestones', milestone),
    labels: labels.map(({ name }) => path(archived.url, 'labels', name)),
    locked: row.locked,
    active_lock_reason: row.lock_reason,
    reactions: reactionRecords(html, reactions, accounts),
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
    closed_at: timestampOrNull(row.closed_at),
    closed_by: addressOrNull(html, accounts, row.closed_by),
  };
}

/** The other issues that an issue names. */
export type Related = {
  duplicateOf: IssueRow | undefined;
  subIssues: readonly RelatedIssue[];
  blockedBy: readonly RelatedIssue[];
};

export const issueRecord = (
  html: string,
  archived: ArchivedRepository,
  row: IssueRow,
  { related, urls, ...parts }: IssueParts & { related: Related; urls: Urls },
): IssueRecord => {
  const addressIn = (other: OfIssue & Pick<IssueRow, 'repository_id'>): Address | undefined => {
    const url = urls.get(other.repository_id);
    return url === undefined ? undefined : issueAddress({ url }, other);
  };
  const relatedRecords = (rows: readonly RelatedIssue[]) =>
    rows.flatMap((other) => {
      const issue = addressIn({ ...other, is_pull_request: false });
      return issue === undefined ? [] : [{ issue, created_at: timestamp(other.created_at) }];
    });
  return {
    type: 'issue',
    ...recordOfBoth(html, archived, row, parts),
    state_reason: row.state_reason,
    duplicate_of: (related.duplicateOf && addressIn(related.duplicateOf)) ?? null,
    sub_issues: relatedRecords(related.subIssues),
    blocked_by: relatedRecords(related.blockedBy),
  };
};

/** What belongs to a pull request beside what an issue has. */
type PullParts = IssueParts & {
  /** The address of the repository of its head, if that may be named. */
  headUrl: Address | null;
  commits: readonly PullCommit[];
  requests: readonly ReviewRequest[];
  teams: Teams;
};

export const pullRecord = (
  html: string,
  archived: ArchivedRepository,
  row: PullRow,
  { headUrl, commits, requests, teams, ...parts }: PullParts,
): PullRequestRecord => ({
  type: 'pull_request',
  ...recordOfBoth(html, archived, row, parts),
  base: { ref: row.base_ref, sha: row.base_sha, user: addressOf(html, archived.owner), repo: archived.url },
  head: { ref: row.head_ref, sha: row.head_sha, user: addressOrNull(html, parts.accounts, row.head_owner_id), repo: headUrl },
  head_deleted: row.head_is_deleted,
  merge_base_sha: row.merge_base_sha,
  commits: row.commits_count,
  additions: row.additions,
  deletions: row.deletions,
  changed_files: row.changed_files,
  work_in_progress: row.is_draft,
  maintainer_can_modify: row.maintainer_can_modify,
  merged_at: timestampOrNull(row.merged_at),
  merged_by: addressOrNull(html, parts.accounts, row.merged_by),
  // Of an open one, it is that of a test.
  merge_commit_sha: row.merged_at === null ? null : row.merge_commit_sha,
  commit_ids: commits.map(({ commit_sha, added_at }) => ({ sha: commit_sha, added_at: timestamp(added_at) })),
  review_requests: requests.flatMap(
    ({ user_id, team_id }) =>
      (user_id === null ? teamAddressOrNull(html, archived, teams, team_id) : addressOrNull(html, parts.accounts, user_id)) ?? [],
  ),
});

const teamAddressOrNull = (
  html: string,
  { owner }: ArchivedRepository,
  teams: Teams,
  id: Id<'teams'> | undefined,
): Address | null => {
  const team = getOptional(teams, id);
  return team ? teamAddress(html, owner, team) : null;
};

export const commentRecord = (
  html: string,
  archived: ArchivedRepository,
  row: CommentRow & OfIssue,
  { reactions, accounts }: Pick<IssueParts, 'reactions' | 'accounts'>,
): IssueCommentRecord => ({
  type: 'issue_comment',
  url: `${issueAddress(archived, row)}#issuecomment-${row.id}`,
  ...aboutIssue(archived, row),
  user: addressOrNull(html, accounts, row.author_id),
  body: row.body,
  formatter: 'markdown',
  reactions: reactionRecords(html, reactions, accounts),
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
});

/** An event. What it tells by ids of this server, beside people, teams, issues and reviews, is left out. */
export const eventRecord = (
  html: string,
  archived: ArchivedRepository,
  row: ArchivedEvent,
  { accounts, teams }: { accounts: Accounts; teams: Teams },
): IssueEventRecord => {
  const { label, assignee, requested_reviewer, requested_team, milestone, rename, dismissed_review } = row.data;
  const { state_reason, lock_reason } = row.data;
  const person = assignee ?? requested_reviewer;
  return {
    type: 'issue_event',
    url: `${issueAddress(archived, row)}#event-${row.id}`,
    ...aboutIssue(archived, row),
    actor: addressOrNull(html, accounts, row.actor_id),
    event: row.event,
    commit_id: row.commit_id,
    ...(label ? { label_name: label.name, label_color: label.color } : {}),
    ...(milestone ? { milestone_title: milestone.title } : {}),
    ...(rename ? { title_was: rename.from, title_is: rename.to } : {}),
    ...(person === undefined ? {} : { subject: addressOrNull(html, accounts, person) }),
    ...(requested_team === undefined ? {} : { subject: teamAddressOrNull(html, archived, teams, requested_team) }),
    ...(state_reason === undefined ? {} : { state_reason }),
    ...(lock_reason === undefined ? {} : { lock_reason }),
    ...(row.source ? { source: issueAddress(archived, row.source) } : {}),
    ...(dismissed_review ? { dismissed_review: dismissalRecord(archived, row, dismissed_review) } : {}),
    created_at: timestamp(row.created_at),
  };
};

const dismissalRecord = (
  archived: ArchivedRepository,
  { number }: OfIssue,
  { review_id, ...dismissal }: NonNullable<ArchivedEvent['data']['dismissed_review']>,
): IssueEventRecord['dismissed_review'] => ({ review: reviewAddress(archived, number, review_id), ...dismissal });
