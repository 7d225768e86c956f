alter table apps drop constraint apps_built_in_check,
  add constraint apps_built_in_check
    check (built_in in ('actions', 'code_scanning', 'dependency_bot', 'gh', 'git_credential_manager', 'vscode'));

-- Searches for updates of dependencies, each of which is a workflow run.
create table dependency_updates (
  id bigint generated always as identity primary key,
  repository_id bigint not null references repositories (id) on delete cascade,
  ecosystem text not null check (ecosystem in ('npm', 'pip', 'gomod')),
  directory text not null,
  kind text not null check (kind in ('security', 'version')),
  target_branch text not null,
  -- The commit that was searched.
  base_sha text not null,
  -- What was asked for, without the updates that were proposed already. Two equal ones in a row would find the same.
  request jsonb not null,
  -- What the configuration file said of its pull requests.
  options jsonb not null,
  -- The pull request that it recreates; null if it looks for new updates.
  recreates_id bigint references issues (id) on delete cascade,
  -- The commit of somebody else that it replaces.
  overwrites_sha text,
  run_id bigint references workflow_runs (id) on delete set null,
  state text not null check (state in ('running', 'done', 'failed')),
  problem text,
  created_at timestamptz not null,
  ended_at timestamptz,
  check ((state = 'running') = (ended_at is null))
);
create index on dependency_updates (repository_id, ecosystem, directory, id);
create index on dependency_updates (run_id);
create index on dependency_updates (recreates_id);

-- Pull requests that propose updates.
create table dependency_pulls (
  issue_id bigint primary key references issues (id) on delete cascade,
  repository_id bigint not null references repositories (id) on delete cascade,
  ecosystem text not null check (ecosystem in ('npm', 'pip', 'gomod')),
  directory text not null,
  kind text not null check (kind in ('security', 'version')),
  target_branch text not null,
  group_name text,
  dependencies jsonb not null,
  -- The group, or the names of the dependencies: one pull request is open for each.
  subject text not null,
  branch text not null,
  -- The last commit that the bot pushed.
  head_sha text not null,
  paths text[] not null,
  options jsonb not null,
  is_open boolean not null
);
create index on dependency_pulls (repository_id) where is_open;
create unique index on dependency_pulls (repository_id, ecosystem, directory, target_branch, subject) where is_open;

-- Versions that people don't want to be proposed: from one version on, and before another.
create table dependency_ignores (
  id bigint generated always as identity primary key,
  repository_id bigint not null references repositories (id) on delete cascade,
  ecosystem text not null check (ecosystem in ('npm', 'pip', 'gomod')),
  package text not null,
  from_version text,
  before_version text,
  -- One version alone.
  version text,
  created_by bigint references accounts (id) on delete set null,
  created_at timestamptz not null
);
create index on dependency_ignores (repository_id, ecosystem, package);
create index on dependency_ignores (created_by);

-- The configuration files of default branches, as they were read last.
create table dependency_configs (
  repository_id bigint primary key references repositories (id) on delete cascade,
  path text not null,
  -- The blob of the file.
  oid text not null,
  -- Null if the file can't be read.
  config jsonb,
  problems jsonb not null
);

-- When version updates are looked for, for each entry of a configuration file by its place.
create table dependency_schedules (
  repository_id bigint not null references dependency_configs (repository_id) on delete cascade,
  entry integer not null,
  -- Of what the entry says, so that one that stays keeps its time.
  digest text not null,
  -- Null if there is no further time.
  next_at timestamptz,
  primary key (repository_id, entry)
);
create index on dependency_schedules (next_at);
