-- Secrets that were found in repositories. `digest` tells equal secrets, by a key that isn't in the database; `secret` is sealed.
create table secret_alerts (
  id bigint generated always as identity primary key,
  repository_id bigint not null references repositories on delete cascade,
  number integer not null,
  secret_type text not null,
  is_generic boolean not null,
  digest bytea not null,
  secret bytea not null,
  state text not null default 'open' check (state in ('open', 'resolved')),
  resolution text,
  resolution_comment text,
  resolved_at timestamptz,
  resolved_by bigint references accounts on delete set null,
  assignee_id bigint references accounts on delete set null,
  validity text not null default 'unknown' check (validity in ('active', 'inactive', 'unknown')),
  bypassed_by bigint references accounts on delete set null,
  bypassed_at timestamptz,
  locations_count integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check ((state = 'resolved') = (resolution is not null)),
  unique (repository_id, number),
  unique (repository_id, secret_type, digest)
);
create index secret_alerts_digest on secret_alerts (digest);

-- Where a secret stands in the files of a repository: lines and columns from 1, columns in bytes.
create table secret_locations (
  id bigint generated always as identity primary key,
  alert_id bigint not null references secret_alerts on delete cascade,
  commit_sha text not null,
  blob_sha text not null,
  path text not null,
  start_line integer not null,
  end_line integer not null,
  start_column integer not null,
  end_column integer not null,
  created_at timestamptz not null
);
create unique index secret_locations_place on secret_locations (alert_id, blob_sha, md5(path), start_line, start_column);

-- Scans of a repository: the one that runs, if any, and the last of each type. A scan reads the commits that are reachable from `targets` and
-- not from `known`, of which it has read `done` of `total`.
create table secret_scans (
  id bigint generated always as identity primary key,
  repository_id bigint not null references repositories on delete cascade,
  type text not null check (type in ('incremental', 'backfill', 'pattern_update')),
  patterns text not null,
  targets text[] not null,
  known text[] not null,
  total integer not null,
  done integer not null default 0,
  actor_id bigint references accounts on delete set null,
  started_at timestamptz not null,
  completed_at timestamptz
);
create index secret_scans_repository on secret_scans (repository_id, id);
create unique index secret_scans_running on secret_scans (repository_id) where completed_at is null;
