-- What an organization, or a repository for itself, looks for beside the known forms of secrets. `version` is another after every change of
-- what is found. Of a deleted pattern the row stays until its alerts were treated as `removal` says.
create sequence secret_pattern_versions;
create table secret_patterns (
  id bigint generated always as identity primary key,
  organization_id bigint references accounts on delete cascade,
  repository_id bigint references repositories on delete cascade,
  name text not null,
  slug text not null,
  expression text not null,
  start_delimiter text not null,
  end_delimiter text not null,
  must_match text[] not null,
  must_not_match text[] not null,
  test_string text,
  state text not null check (state in ('published', 'unpublished')),
  push_protection boolean not null default false,
  version bigint not null default nextval('secret_pattern_versions'),
  removal text check (removal in ('delete_alerts', 'resolve_alerts')),
  created_by bigint references accounts on delete set null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check ((organization_id is null) <> (repository_id is null))
);
create unique index secret_patterns_of_organization on secret_patterns (organization_id, lower(name)) where removal is null;
create unique index secret_patterns_of_repository on secret_patterns (repository_id, lower(name)) where removal is null;

alter table secret_alerts
  add column custom_pattern_id bigint references secret_patterns on delete set null,
  add column custom_pattern_name text;
create index secret_alerts_custom_pattern on secret_alerts (custom_pattern_id, id) where custom_pattern_id is not null;

-- The versions of custom patterns that a scan looks for. Where one of them was the reason for the scan, its name and who has it.
alter table secret_scans
  add column custom_patterns bigint[] not null default '{}',
  add column pattern_name text,
  add column pattern_scope text check (pattern_scope in ('organization', 'repository')),
  drop constraint secret_scans_type_check,
  add constraint secret_scans_type_check check (type in ('incremental', 'backfill', 'pattern_update', 'custom_pattern'));

-- For which known forms an organization changed whether they keep anybody from pushing.
create table secret_pattern_settings (
  organization_id bigint not null references accounts on delete cascade,
  secret_type text not null,
  push_protection text not null check (push_protection in ('enabled', 'disabled')),
  primary key (organization_id, secret_type)
);
