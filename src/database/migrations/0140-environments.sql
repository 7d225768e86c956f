-- Where deployments go. Deployments name their environment as a text, so that they outlive it.
create table environments (
  id bigint generated always as identity primary key,
  repository_id bigint not null references repositories on delete cascade,
  name text not null,
  -- Which refs may be deployed: all, those of protected branches, or those that match a policy.
  deploys text not null check (deploys in ('all', 'protected', 'custom')),
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index environments_name on environments (repository_id, lower(name));

-- What a deployment waits for, or must satisfy. Each kind is there once, but for those that ask an app.
create table environment_rules (
  id bigint generated always as identity primary key,
  environment_id bigint not null references environments on delete cascade,
  type text not null check (type in ('wait_timer', 'required_reviewers', 'branch_policy', 'custom')),
  wait_minutes integer check (wait_minutes between 1 and 43200),
  prevent_self_review boolean,
  app_id bigint references apps on delete cascade,
  check ((type = 'wait_timer') = (wait_minutes is not null)),
  check ((type = 'required_reviewers') = (prevent_self_review is not null)),
  check ((type = 'custom') = (app_id is not null)),
  unique nulls not distinct (environment_id, type, app_id)
);
create index environment_rules_app on environment_rules (app_id) where app_id is not null;

-- Whose approval a deployment may have, in the order in which they were given.
create table environment_reviewers (
  id bigint generated always as identity primary key,
  environment_id bigint not null references environments on delete cascade,
  user_id bigint references accounts on delete cascade,
  team_id bigint references teams on delete cascade,
  check ((user_id is null) <> (team_id is null)),
  unique (environment_id, user_id),
  unique (environment_id, team_id)
);
create index environment_reviewers_user on environment_reviewers (user_id) where user_id is not null;
create index environment_reviewers_team on environment_reviewers (team_id) where team_id is not null;

-- Patterns of the branches and tags that may be deployed.
create table environment_branch_policies (
  id bigint generated always as identity primary key,
  environment_id bigint not null references environments on delete cascade,
  type text not null check (type in ('branch', 'tag')),
  name text not null,
  unique (environment_id, type, name)
);
