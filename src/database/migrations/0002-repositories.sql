-- Repositories, who may use them beyond their owner, and the names that they used to have.

create table repositories (
  id bigint generated always as identity primary key,
  owner_id bigint not null references accounts on delete cascade,
  name text not null,
  description text,
  homepage text,
  visibility text not null default 'public' check (visibility in ('public', 'private', 'internal')),
  default_branch text not null default 'main',
  parent_id bigint references repositories on delete set null,
  source_id bigint references repositories on delete set null,
  template_id bigint references repositories on delete set null,
  created_by bigint references accounts on delete set null,
  is_template boolean not null default false,
  archived boolean not null default false,
  topics text[] not null default '{}',
  language text,
  size_kb bigint not null default 0,
  has_issues boolean not null default true,
  has_projects boolean not null default true,
  has_wiki boolean not null default true,
  has_downloads boolean not null default true,
  has_discussions boolean not null default false,
  allow_forking boolean not null default true,
  allow_squash_merge boolean not null default true,
  allow_merge_commit boolean not null default true,
  allow_rebase_merge boolean not null default true,
  allow_auto_merge boolean not null default false,
  allow_update_branch boolean not null default false,
  delete_branch_on_merge boolean not null default false,
  use_squash_pr_title_as_default boolean not null default false,
  squash_merge_commit_title text not null default 'COMMIT_OR_PR_TITLE'
    check (squash_merge_commit_title in ('PR_TITLE', 'COMMIT_OR_PR_TITLE')),
  squash_merge_commit_message text not null default 'COMMIT_MESSAGES'
    check (squash_merge_commit_message in ('PR_BODY', 'COMMIT_MESSAGES', 'BLANK')),
  merge_commit_title text not null default 'MERGE_MESSAGE' check (merge_commit_title in ('PR_TITLE', 'MERGE_MESSAGE')),
  merge_commit_message text not null default 'PR_TITLE' check (merge_commit_message in ('PR_BODY', 'PR_TITLE', 'BLANK')),
  web_commit_signoff_required boolean not null default false,
  forks_count integer not null default 0,
  open_issues_count integer not null default 0,
  stargazers_count integer not null default 0,
  next_issue_number integer not null default 1,
  pushed_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index repositories_name on repositories (owner_id, lower(name));
create index repositories_parent on repositories (parent_id) where parent_id is not null;
create index repositories_source on repositories (source_id) where source_id is not null;
create index repositories_template on repositories (template_id) where template_id is not null;
create index repositories_owner_pushed on repositories (owner_id, pushed_at desc nulls last, id desc);
create index repositories_topics on repositories using gin (topics);

-- Names that led here before a rename or a transfer (they go on answering until somebody takes them).
create table repository_redirects (
  owner_login text not null,
  name text not null,
  repository_id bigint not null references repositories on delete cascade,
  created_at timestamptz not null,
  primary key (owner_login, name)
);
create index repository_redirects_repository on repository_redirects (repository_id);

create table collaborators (
  repository_id bigint not null references repositories on delete cascade,
  user_id bigint not null references accounts on delete cascade,
  role text not null check (role in ('read', 'triage', 'write', 'maintain', 'admin')),
  created_at timestamptz not null,
  primary key (repository_id, user_id)
);
create index collaborators_user on collaborators (user_id);

create table repository_invitations (
  id bigint generated always as identity primary key,
  repository_id bigint not null references repositories on delete cascade,
  invitee_id bigint not null references accounts on delete cascade,
  inviter_id bigint references accounts on delete set null,
  role text not null check (role in ('read', 'triage', 'write', 'maintain', 'admin')),
  created_at timestamptz not null,
  unique (repository_id, invitee_id)
);
create index repository_invitations_invitee on repository_invitations (invitee_id, id);

create table team_repositories (
  team_id bigint not null references teams on delete cascade,
  repository_id bigint not null references repositories on delete cascade,
  role text not null check (role in ('read', 'triage', 'write', 'maintain', 'admin')),
  created_at timestamptz not null,
  primary key (team_id, repository_id)
);
create index team_repositories_repository on team_repositories (repository_id);

-- What a push, or a change of refs through the API, is about to do. The row is written before Git is
-- asked and leaves in the transaction that records the events, so that a crash between both can be made up for.
create table ref_changes (
  id bigint generated always as identity primary key,
  repository_id bigint not null references repositories on delete cascade,
  actor_id bigint references accounts on delete set null,
  commands jsonb not null,
  started_at timestamptz not null
);
create index ref_changes_started on ref_changes (started_at);
create index ref_changes_repository on ref_changes (repository_id);
