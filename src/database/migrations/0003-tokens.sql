-- Apps, their installations, and every credential. Of a token only the SHA-256 is kept (security decision 5).

-- kind 'app' has a bot, permissions and installations; kind 'oauth' has scopes asked for at sign-in only.
create table apps (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('app', 'oauth')),
  owner_id bigint not null references accounts on delete cascade,
  bot_id bigint references accounts on delete set null,
  slug text not null,
  name text not null,
  description text,
  external_url text not null,
  callback_urls text[] not null default '{}',
  setup_url text,
  public boolean not null default false,
  client_id text not null unique,
  client_secret_hash bytea,
  device_flow boolean not null default false,
  expiring_user_tokens boolean not null default true,
  permissions jsonb not null default '{}',
  events text[] not null default '{}',
  webhook_url text,
  webhook_secret_sealed bytea,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index apps_slug on apps (lower(slug));
create index apps_owner on apps (owner_id);

create table app_keys (
  id bigint generated always as identity primary key,
  app_id bigint not null references apps on delete cascade,
  public_key text not null,
  created_at timestamptz not null
);
create index app_keys_app on app_keys (app_id);

create table app_manifest_codes (
  hash bytea primary key,
  owner_id bigint not null references accounts on delete cascade,
  created_by bigint not null references accounts on delete cascade,
  manifest jsonb not null,
  expires_at timestamptz not null
);

create table installations (
  id bigint generated always as identity primary key,
  app_id bigint not null references apps on delete cascade,
  account_id bigint not null references accounts on delete cascade,
  repository_selection text not null check (repository_selection in ('all', 'selected')),
  permissions jsonb not null,
  events text[] not null default '{}',
  suspended_at timestamptz,
  suspended_by bigint references accounts on delete set null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (app_id, account_id)
);
create index installations_account on installations (account_id);

create table installation_repositories (
  installation_id bigint not null references installations on delete cascade,
  repository_id bigint not null references repositories on delete cascade,
  primary key (installation_id, repository_id)
);
create index installation_repositories_repository on installation_repositories (repository_id);

-- account_id is who the token acts for (the bot, for an installation token).
-- owner_id, repository_selection and permissions belong to the fine-grained kinds;
-- repository_selection null on an installation token means all that the installation reaches.
create table tokens (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('classic_pat', 'fine_grained_pat', 'oauth_app', 'app_user', 'installation')),
  hash bytea not null unique,
  last_eight text not null,
  account_id bigint not null references accounts on delete cascade,
  name text not null default '',
  app_id bigint references apps on delete cascade,
  installation_id bigint references installations on delete cascade,
  scopes text[] not null default '{}',
  owner_id bigint references accounts on delete cascade,
  repository_selection text check (repository_selection in ('all', 'selected', 'public')),
  permissions jsonb not null default '{}',
  created_at timestamptz not null,
  expires_at timestamptz,
  last_used_at timestamptz
);
create index tokens_account on tokens (account_id);
create index tokens_app on tokens (app_id) where app_id is not null;
create index tokens_installation on tokens (installation_id) where installation_id is not null;
create index tokens_owner on tokens (owner_id) where owner_id is not null;
create index tokens_expires on tokens (expires_at) where expires_at is not null;

create table token_repositories (
  token_id bigint not null references tokens on delete cascade,
  repository_id bigint not null references repositories on delete cascade,
  primary key (token_id, repository_id)
);
create index token_repositories_repository on token_repositories (repository_id);

create table refresh_tokens (
  hash bytea primary key,
  token_id bigint references tokens on delete set null,
  app_id bigint not null references apps on delete cascade,
  account_id bigint not null references accounts on delete cascade,
  expires_at timestamptz not null
);

create table authorization_codes (
  hash bytea primary key,
  app_id bigint not null references apps on delete cascade,
  account_id bigint not null references accounts on delete cascade,
  scopes text[] not null default '{}',
  redirect_uri text,
  code_challenge text,
  expires_at timestamptz not null
);

create table device_codes (
  hash bytea primary key,
  user_code text not null unique,
  app_id bigint not null references apps on delete cascade,
  account_id bigint references accounts on delete cascade,
  scopes text[] not null default '{}',
  state text not null default 'pending' check (state in ('pending', 'approved', 'denied')),
  polled_at timestamptz,
  interval_s integer not null default 5,
  expires_at timestamptz not null
);

create table sessions (
  hash bytea primary key,
  account_id bigint not null references accounts on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null
);

-- Counted per window; unlogged, since a crash may start a window anew.
create unlogged table rate_limits (
  key text not null,
  bucket text not null,
  window_ends timestamptz not null,
  used integer not null,
  primary key (key, bucket)
);
create index rate_limits_window on rate_limits (window_ends);
