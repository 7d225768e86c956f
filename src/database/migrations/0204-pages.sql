-- Websites of repositories. What is served is one folder of a repository's objects, `live_tree`, which a ref of the server's own keeps.
alter table repositories add column has_pages boolean not null default false;

create table pages_sites (
  repository_id bigint primary key references repositories on delete cascade,
  build_type text not null check (build_type in ('legacy', 'workflow')),
  source_branch text not null,
  source_path text not null check (source_path in ('/', '/docs')),
  -- Null: everybody sees the site exactly if everybody may read the repository.
  is_public boolean,
  https_enforced boolean not null,
  -- What is served; null until the first build succeeds. `live_version` is the number of the build or deployment that brought it.
  live_commit text,
  live_tree text,
  live_version bigint,
  custom_404 boolean not null default false,
  -- What the last check of the domain found.
  health jsonb,
  health_checked_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check ((live_tree is null) = (live_version is null))
);

-- A domain belongs to one repository, with and without `www.` before it. `base` is it without.
create table pages_domains (
  base text primary key,
  domain text not null,
  repository_id bigint not null unique references repositories on delete cascade
);

create table pages_builds (
  id bigint generated always as identity primary key,
  repository_id bigint not null references repositories on delete cascade,
  -- The push that asked for it; null where somebody did.
  event_id bigint,
  commit_sha text not null,
  status text not null default 'queued' check (status in ('queued', 'building', 'built', 'errored')),
  error text,
  pusher_id bigint references accounts on delete set null,
  duration_ms integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index pages_builds_repository on pages_builds (repository_id, id);
create unique index pages_builds_event on pages_builds (repository_id, event_id) where event_id is not null;
