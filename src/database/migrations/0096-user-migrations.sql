-- Archives of what belongs to a person, as it was asked for, and how far each is.
create table user_migrations (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts on delete cascade,
  guid uuid not null,
  state text not null default 'pending' check (state in ('pending', 'exporting', 'exported', 'failed')),
  lock_repositories boolean not null,
  exclude_metadata boolean not null,
  exclude_git_data boolean not null,
  exclude_attachments boolean not null,
  exclude_releases boolean not null,
  exclude_owner_projects boolean not null,
  org_metadata_only boolean not null,
  exclude text[] not null,
  -- The address under which the server was asked; objects in the archive are named by addresses.
  base_url text not null,
  -- How often the archive was begun. What an earlier attempt still does has no effect.
  attempts integer not null default 0,
  -- Why it failed.
  failure text,
  -- Until when there is an archive; null before, and after it was deleted.
  available_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index user_migrations_account on user_migrations (account_id, id);
create index user_migrations_available on user_migrations (available_until) where available_until is not null;

create table user_migration_repositories (
  migration_id bigint not null references user_migrations on delete cascade,
  repository_id bigint not null references repositories on delete cascade,
  primary key (migration_id, repository_id)
);
create index user_migration_repositories_repository on user_migration_repositories (repository_id);

-- The migration that locked a repository: it takes no changes until it is unlocked.
alter table repositories add column locked_by bigint references user_migrations on delete set null;
create index repositories_locked_by on repositories (locked_by) where locked_by is not null;
