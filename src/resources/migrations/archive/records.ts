// Rows as the objects of an archive.

import { wordOfRole } from '#access/roles.ts';
import type { Account, RepositoryRow } from '#access/viewer.ts';
import { path } from '#endpoint/links.ts';
import { getOptional, getOrThrow } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { timestamp, timestampOrNull } from '#lib/time.ts';
import type { EmailRow } from '#resources/accounts/index.ts';
import type { CommentRow, IssueEventRow, IssueRow, OfIssue } from '#resources/issues/index.ts';
import type { LabelRow } from '#resources/labels/index.ts';
import type { MilestoneRow } from '#resources/milestones/index.ts';
import type { PullRow } from '#resources/pulls/index.ts';
import type { ReactionRow } from '#resources/reactions/index.ts';
import type { TeamMember, TeamRole, TeamRow } from '#resources/teams/index.ts';
import {
  type Address,
  gitAddress,
  type IssueCommentRecord,
  type IssueEventRecord,
  type IssueRecord,
  type LabelRecord,
  type MilestoneRecord,
  type PullRequestRecord,
  type RepositoryRecord,
  type TeamRecord,
  type UserRecord,
} from './format.ts';

type Accounts = ReadonlyMap<Id<'accounts'>, Account>;

/** A repository with the address that its objects are below. */
export type Place = { row: RepositoryRow; owner: Account; url: Address };

export const addressOf = (html: string, account: Pick<Account, 'login'>): Address => path(html, account.login);

const addressOrNull = (html: string, accounts: Accounts, id: Id<'accounts'> | null | undefined): Address | null => {
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
export type TeamParts = {
  parents: ReadonlyMap<Id<'teams'>, TeamRow>;
  membersOf: ReadonlyMap<Id<'teams'>, readonly TeamMember[]>;
  accounts: Accounts;
  rolesOf: ReadonlyMap<Id<'teams'>, readonly TeamRole[]>;
  /** The addresses of the repositories. */
  urls: ReadonlyMap<Id<'repositories'>, Address>;
};

export const teamRecord = (html: string, organization: Account, row: TeamRow, parts: TeamParts): TeamRecord => {
  const parent = getOptional(parts.parents, row.parent_id);
  const url = path(html, 'orgs', organization.login, 'teams');
  return {
    type: 'team',
    url: path(url, row.slug),
    organization: addressOf(html, organization),
    parent_team: parent ? path(url, parent.slug) : null,
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

const labelRecord = ({ url }: Place, row: LabelRow): LabelRecord => ({
  url: path(url, 'labels', row.name),
  name: row.name,
  color: row.color,
  description: row.description,
  default: row.is_default,
});

export const repositoryRecord = (
  html: string,
  place: Place,
  { labels, hasGit }: { labels: readonly LabelRow[]; hasGit: boolean },
): RepositoryRecord => {
  const { row, owner, url } = place;
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
    has_projects: row.has_projects,
    has_wiki: row.has_wiki,
    has_downloads: row.has_downloads,
    has_discussions: row.has_discussions,
    topics: row.topics,
    default_branch: row.default_branch,
    labels: labels.map((label) => labelRecord(place, label)),
    git_url: hasGit ? gitAddress(owner.login, row.name) : null,
    created_at: timestamp(row.created_at),
    pushed_at: timestampOrNull(row.pushed_at),
  };
};

export const milestoneRecord = (
  html: string,
  place: Place,
  row: Omit<MilestoneRow, 'open_issues' | 'closed_issues'>,
  accounts: Accounts,
): MilestoneRecord => ({
  type: 'milestone',
  url: path(place.url, 'milestones', row.number),
  repository: place.url,
  user: addressOrNull(html, accounts, row.creator_id),
  title: row.title,
  description: row.description,
  state: row.state,
  due_on: timestampOrNull(row.due_on),
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
  closed_at: timestampOrNull(row.closed_at),
});

const reactionRecord = (html: string, row: ReactionRow, accounts: Accounts): IssueRecord['reactions'][number] => ({
  user: addressOrNull(html, accounts, row.user_id),
  content: row.content,
  created_at: timestamp(row.created_at),
});

const issueAddress = ({ url }: Place, { number, is_pull_request }: OfIssue): Address =>
  path(url, is_pull_request ? 'pull' : 'issues', number);

/** What a comment or an event is about. */
const aboutIssue = (place: Place, row: OfIssue) =>
  row.is_pull_request ? { pull_request: issueAddress(place, row) } : { issue: issueAddress(place, row) };

/** What belongs to an issue beside its row. */
export type IssueParts = {
  labels: readonly LabelRow[];
  assignees: readonly Id<'accounts'>[];
  milestone: number | undefined;
  reactions: readonly ReactionRow[];
  accounts: Accounts;
};

/** What issues and pull requests have in common. */
function recordOfBoth(html: string, place: Place, row: IssueRow, parts: IssueParts): Omit<IssueRecord, 'type' | 'state_reason'> {
  const { labels, assignees, milestone, reactions, accounts } = parts;
  const assigned = assignees.flatMap((id) => addressOrNull(html, accounts, id) ?? []);
  return {
    url: issueAddress(place, row),
    repository: place.url,
    user: addressOrNull(html, accounts, row.author_id),
    title: row.title,
    body: row.body,
    state: row.state,
    assignee: assigned[0] ?? null,
    assignees: assigned,
    milestone: milestone === undefined ? null : path(place.url, 'milestones', milestone),
    labels: labels.map(({ name }) => path(place.url, 'labels', name)),
    locked: row.locked,
    active_lock_reason: row.lock_reason,
    reactions: reactions.map((reaction) => reactionRecord(html, reaction, accounts)),
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
    closed_at: timestampOrNull(row.closed_at),
    closed_by: addressOrNull(html, accounts, row.closed_by),
  };
}

export const issueRecord = (html: string, place: Place, row: IssueRow, parts: IssueParts): IssueRecord => ({
  type: 'issue',
  ...recordOfBoth(html, place, row, parts),
  state_reason: row.state_reason,
});

/** `headUrl`: the address of the repository of its head, if that may be named. */
export const pullRecord = (
  html: string,
  place: Place,
  row: PullRow,
  { headUrl, ...parts }: IssueParts & { headUrl: Address | null },
): PullRequestRecord => ({
  type: 'pull_request',
  ...recordOfBoth(html, place, row, parts),
  base: { ref: row.base_ref, sha: row.base_sha, user: addressOf(html, place.owner), repo: place.url },
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
});

export const commentRecord = (
  html: string,
  place: Place,
  row: CommentRow & OfIssue,
  { reactions, accounts }: Pick<IssueParts, 'reactions' | 'accounts'>,
): IssueCommentRecord => ({
  type: 'issue_comment',
  url: `${issueAddress(place, row)}#issuecomment-${row.id}`,
  ...aboutIssue(place, row),
  user: addressOrNull(html, accounts, row.author_id),
  body: row.body,
  formatter: 'markdown',
  reactions: reactions.map((reaction) => reactionRecord(html, reaction, accounts)),
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
});

/** An event. What it tells by ids of this server, beside the assignee, is left out. */
export const eventRecord = (html: string, place: Place, row: IssueEventRow & OfIssue, accounts: Accounts): IssueEventRecord => {
  const { label, assignee, milestone, rename, state_reason, lock_reason } = row.data;
  return {
    type: 'issue_event',
    url: `${issueAddress(place, row)}#event-${row.id}`,
    ...aboutIssue(place, row),
    actor: addressOrNull(html, accounts, row.actor_id),
    event: row.event,
    commit_id: row.commit_id,
    ...(label ? { label_name: label.name, label_color: label.color } : {}),
    ...(milestone ? { milestone_title: milestone.title } : {}),
    ...(rename ? { title_was: rename.from, title_is: rename.to } : {}),
    ...(assignee === undefined ? {} : { subject: addressOrNull(html, accounts, assignee) }),
    ...(state_reason === undefined ? {} : { state_reason }),
    ...(lock_reason === undefined ? {} : { lock_reason }),
    created_at: timestamp(row.created_at),
  };
};
