-- What apps say of commits: for each app and commit a suite, and in it runs, of which the latest of each name are marked.
create table check_suites (
  id bigint generated always as identity primary key,
  repository_id bigint not null references repositories on delete cascade,
  app_id bigint not null references apps on delete cascade,
  head_sha text not null,
  head_branch text,
  -- The commits before and after the push that made it; null where none did.
  before_sha text,
  after_sha text,
  -- These three follow from the latest runs, until the suite or one of its runs is requested again.
  status text not null check (status in ('queued', 'in_progress', 'completed')),
  conclusion text check (conclusion in (
    'action_required', 'cancelled', 'failure', 'neutral', 'skipped', 'stale', 'success', 'timed_out')),
  latest_runs_count integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint check_suites_concluded check ((status = 'completed') = (conclusion is not null))
);
create unique index check_suites_commit on check_suites (repository_id, head_sha, app_id);
create index check_suites_app on check_suites (app_id);

create table check_runs (
  id bigint generated always as identity primary key,
  check_suite_id bigint not null references check_suites on delete cascade,
  -- The same as of its suite.
  repository_id bigint not null references repositories on delete cascade,
  app_id bigint not null references apps on delete cascade,
  head_sha text not null,
  name text not null,
  is_latest boolean not null,
  status text not null check (status in ('queued', 'in_progress', 'completed')),
  conclusion text check (conclusion in (
    'action_required', 'cancelled', 'failure', 'neutral', 'skipped', 'stale', 'success', 'timed_out')),
  details_url text,
  external_id text not null,
  title text,
  summary text,
  text text,
  annotations_count integer not null default 0,
  images jsonb not null default '[]',
  actions jsonb not null default '[]',
  started_at timestamptz not null,
  completed_at timestamptz,
  -- Since when it has been incomplete; null while it is completed.
  open_since timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint check_runs_concluded check ((status = 'completed') = (conclusion is not null)),
  constraint check_runs_open check ((status = 'completed') = (open_since is null))
);
create index check_runs_commit on check_runs (repository_id, head_sha, id);
create index check_runs_latest_of_commit on check_runs (repository_id, head_sha, id) where is_latest;
create index check_runs_suite on check_runs (check_suite_id, name, id);
create index check_runs_latest on check_runs (check_suite_id, name) where is_latest;
create index check_runs_since on check_runs (open_since) where open_since is not null;
create index check_runs_app on check_runs (app_id);

create table check_annotations (
  id bigint generated always as identity primary key,
  check_run_id bigint not null references check_runs on delete cascade,
  path text not null,
  start_line integer not null,
  end_line integer not null,
  start_column integer,
  end_column integer,
  annotation_level text not null check (annotation_level in ('failure', 'notice', 'warning')),
  message text not null,
  title text,
  raw_details text
);
create index check_annotations_run on check_annotations (check_run_id, id);

-- Whether an app gets a suite for each push, where that was said.
create table check_suite_preferences (
  repository_id bigint not null references repositories on delete cascade,
  app_id bigint not null references apps on delete cascade,
  auto_trigger boolean not null,
  primary key (repository_id, app_id)
);
create index check_suite_preferences_app on check_suite_preferences (app_id);
