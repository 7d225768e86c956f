// What an archive consists of: the format that the public API's archives have. docs/migrations.md describes it.

/** The version of the format that is written. Archives of another first number can't be read. */
export const formatVersion = '1.0.0';

/** The kinds of objects that archives have (document 2), each in JSON files of its own. */
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
  'users',
] as const;
export type Kind = (typeof kinds)[number];

/** Objects of one JSON file. */
export const pageSize = 100;

/** The name of a page of objects, as `issues_000001.json`. Pages count from 1. */
export const pageName = (kind: Kind, page: number): string => `${kind}_${String(page).padStart(6, '0')}.json`;

/** Objects are named by the addresses that people know them by. */
export type Address = string;

export type ReactionRecord = { user: Address | null; content: string; created_at: string };

export type UserRecord = {
  type: 'user' | 'bot';
  url: Address;
  login: string;
  name: string | null;
  bio: string | null;
  company: string | null;
  website: string | null;
  location: string | null;
  /** Of the person whose archive it is alone. */
  emails: { address: string; primary: boolean }[];
  created_at: string;
};

export type OrganizationRecord = {
  type: 'organization';
  url: Address;
  login: string;
  name: string | null;
  description: string | null;
  website: string | null;
  location: string | null;
  members: { user: Address; role: 'admin' | 'member' }[];
  created_at: string;
};

export type LabelRecord = { url: Address; name: string; color: string; description: string | null; default: boolean };

export type RepositoryRecord = {
  type: 'repository';
  url: Address;
  owner: Address;
  name: string;
  description: string | null;
  website: string | null;
  private: boolean;
  visibility: 'public' | 'private' | 'internal';
  is_archived: boolean;
  is_template: boolean;
  has_issues: boolean;
  has_projects: boolean;
  has_wiki: boolean;
  has_downloads: boolean;
  has_discussions: boolean;
  topics: string[];
  default_branch: string;
  labels: LabelRecord[];
  /** Where the Git data is; null where the archive has none. */
  git_url: string | null;
  created_at: string;
  pushed_at: string | null;
};

export type MilestoneRecord = {
  type: 'milestone';
  url: Address;
  repository: Address;
  user: Address | null;
  title: string;
  description: string | null;
  state: 'open' | 'closed';
  due_on: string | null;
  created_at: string;
  updated_at: string;
  closed_at: string | null;
};

export type IssueRecord = {
  type: 'issue';
  url: Address;
  repository: Address;
  user: Address | null;
  title: string;
  body: string | null;
  state: 'open' | 'closed';
  state_reason: string | null;
  assignee: Address | null;
  assignees: Address[];
  milestone: Address | null;
  labels: Address[];
  locked: boolean;
  active_lock_reason: string | null;
  reactions: ReactionRecord[];
  created_at: string;
  updated_at: string;
  closed_at: string | null;
  closed_by: Address | null;
};

export type IssueCommentRecord = {
  type: 'issue_comment';
  url: Address;
  issue: Address;
  user: Address | null;
  body: string;
  formatter: 'markdown';
  reactions: ReactionRecord[];
  created_at: string;
  updated_at: string;
};

/** What happened to an issue. The fields after `commit_id` are there where the kind of event has them. */
export type IssueEventRecord = {
  type: 'issue_event';
  url: Address;
  issue: Address;
  actor: Address | null;
  event: string;
  commit_id: string | null;
  label_name?: string;
  label_color?: string;
  milestone_title?: string;
  title_was?: string;
  title_is?: string;
  subject?: Address | null;
  state_reason?: string | null;
  lock_reason?: string | null;
  created_at: string;
};

/** The folder of a repository's Git data in the archive. */
export const gitFolder = (owner: string, name: string): string => `repositories/${owner}/${name}.git`;
