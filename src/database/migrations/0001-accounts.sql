-- Accounts (users, organizations and the bots of apps), memberships and teams.

create table accounts (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('user', 'organization', 'bot')),
  login text not null,
  name text,
  email text,
  bio text,
  company text,
  blog text not null default '',
  location text,
  twitter_username text,
  hireable boolean,
  site_admin boolean not null default false,
  password_hash text,
  suspended_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index accounts_login on accounts (lower(login));
create index accounts_email on accounts (lower(email)) where email is not null;

-- The settings that only an organization has.
create table organizations (
  account_id bigint primary key references accounts on delete cascade,
  billing_email text,
  description text,
  default_repository_permission text not null default 'read'
    check (default_repository_permission in ('none', 'read', 'write', 'admin')),
  members_can_create_repositories boolean not null default true,
  members_can_create_public_repositories boolean not null default true,
  members_can_create_private_repositories boolean not null default true,
  members_can_create_internal_repositories boolean not null default false,
  members_can_create_pages boolean not null default true,
  members_can_create_public_pages boolean not null default true,
  members_can_create_private_pages boolean not null default true,
  members_can_fork_private_repositories boolean not null default false,
  members_can_delete_repositories boolean not null default true,
  members_can_change_repo_visibility boolean not null default true,
  members_can_invite_outside_collaborators boolean not null default true,
  members_can_delete_issues boolean not null default false,
  members_can_create_teams boolean not null default true,
  members_can_view_dependency_insights boolean not null default true,
  display_commenter_full_name_setting_enabled boolean not null default false,
  readers_can_create_discussions boolean not null default true,
  web_commit_signoff_required boolean not null default false,
  deploy_keys_enabled_for_repositories boolean not null default true,
  has_organization_projects boolean not null default true,
  has_repository_projects boolean not null default true
);

create table memberships (
  organization_id bigint not null references accounts on delete cascade,
  user_id bigint not null references accounts on delete cascade,
  role text not null check (role in ('owner', 'member')),
  state text not null check (state in ('active', 'pending')),
  public boolean not null default false,
  invited_by bigint references accounts on delete set null,
  created_at timestamptz not null,
  primary key (organization_id, user_id)
);
create index memberships_user on memberships (user_id);

-- ancestors holds the ids of the team itself and of all teams above it, so that inherited
-- repository roles need no recursion.
create table teams (
  id bigint generated always as identity primary key,
  organization_id bigint not null references accounts on delete cascade,
  parent_id bigint references teams on delete set null,
  ancestors bigint[] not null,
  slug text not null,
  name text not null,
  description text,
  privacy text not null default 'secret' check (privacy in ('secret', 'closed')),
  notification_setting text not null default 'notifications_enabled'
    check (notification_setting in ('notifications_enabled', 'notifications_disabled')),
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index teams_slug on teams (organization_id, lower(slug));
create index teams_ancestors on teams using gin (ancestors);

create table team_members (
  team_id bigint not null references teams on delete cascade,
  user_id bigint not null references accounts on delete cascade,
  role text not null check (role in ('member', 'maintainer')),
  created_at timestamptz not null,
  primary key (team_id, user_id)
);
create index team_members_user on team_members (user_id);

create table public_keys (
  id bigint generated always as identity primary key,
  user_id bigint not null references accounts on delete cascade,
  title text not null,
  key text not null,
  fingerprint text not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create unique index public_keys_fingerprint on public_keys (fingerprint);
create index public_keys_user on public_keys (user_id, id);
