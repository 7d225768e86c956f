-- Files of results that tools have found in code (SARIF). Their bytes are in the object store.
create table code_scanning_uploads (
  id bigint generated always as identity primary key,
  repository_id bigint not null references repositories on delete cascade,
  sarif_id text not null unique,
  commit_sha text not null,
  ref text not null,
  checkout_uri text,
  tool_name text,
  object_key text not null unique,
  -- The SHA-256 of the packed file, as `sha256:` and 64 digits.
  digest text not null,
  state text not null default 'pending' check (state in ('pending', 'complete', 'failed')),
  errors text[] not null default '{}',
  uploader_id bigint references accounts on delete set null,
  created_at timestamptz not null
);
create index code_scanning_uploads_repository on code_scanning_uploads (repository_id);
create index code_scanning_uploads_uploader on code_scanning_uploads (uploader_id);

-- A run of a tool over a commit. Those of one ref, tool and category follow one another: the latest says what is open there.
create table code_scanning_analyses (
  id bigint generated always as identity primary key,
  repository_id bigint not null references repositories on delete cascade,
  upload_id bigint not null references code_scanning_uploads on delete cascade,
  -- Which of the runs of its file it is.
  run_index integer not null,
  ref text not null,
  commit_sha text not null,
  tool_name text not null,
  tool_version text,
  tool_guid text,
  category text not null,
  results_count integer not null,
  rules_count integer not null,
  warning text not null,
  -- The number of the alert of each result of the run, in their order; 0 where it has none.
  alert_numbers integer[] not null,
  created_at timestamptz not null,
  unique (upload_id, run_index)
);
create index code_scanning_analyses_set on code_scanning_analyses (repository_id, ref, tool_name, category, id);

create table code_scanning_rules (
  id bigint generated always as identity primary key,
  repository_id bigint not null references repositories on delete cascade,
  tool_name text not null,
  identifier text not null,
  name text not null,
  description text not null,
  full_description text not null,
  tags text[] not null,
  security_severity_level text check (security_severity_level in ('low', 'medium', 'high', 'critical')),
  help text,
  help_uri text,
  unique (repository_id, tool_name, identifier)
);

-- A problem, wherever it is found: on which refs, its instances tell.
create table code_scanning_alerts (
  id bigint generated always as identity primary key,
  repository_id bigint not null references repositories on delete cascade,
  number integer not null,
  rule_id bigint not null references code_scanning_rules,
  tool_name text not null,
  tool_version text,
  tool_guid text,
  severity text not null check (severity in ('none', 'note', 'warning', 'error')),
  -- The hash of what tells one alert of the repository from another.
  fingerprint text not null,
  dismissed_at timestamptz,
  dismissed_by bigint references accounts on delete set null,
  dismissed_reason text,
  dismissed_comment text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check ((dismissed_at is null) = (dismissed_reason is null)),
  unique (repository_id, number),
  unique (repository_id, fingerprint)
);
create index code_scanning_alerts_rule on code_scanning_alerts (rule_id);
create index code_scanning_alerts_dismissed_by on code_scanning_alerts (dismissed_by);

create table code_scanning_assignees (
  alert_id bigint not null references code_scanning_alerts on delete cascade,
  account_id bigint not null references accounts on delete cascade,
  primary key (alert_id, account_id)
);
create index code_scanning_assignees_account on code_scanning_assignees (account_id);

-- An alert on a ref, as the latest analysis of a category found it, or found it gone.
create table code_scanning_instances (
  id bigint generated always as identity primary key,
  alert_id bigint not null references code_scanning_alerts on delete cascade,
  repository_id bigint not null references repositories on delete cascade,
  ref text not null,
  category text not null,
  -- The analysis that brought it to the ref, which may be gone.
  analysis_id bigint not null,
  is_open boolean not null,
  commit_sha text not null,
  path text not null,
  start_line integer not null,
  end_line integer not null,
  start_column integer not null,
  end_column integer not null,
  message text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  fixed_at timestamptz,
  check (is_open = (fixed_at is null)),
  unique (alert_id, ref, category)
);
create index code_scanning_instances_ref on code_scanning_instances (repository_id, ref, is_open);

-- The app whose checks tell of what was found in pull requests.
alter table apps drop constraint apps_built_in_check,
  add constraint apps_built_in_check check (built_in in ('actions', 'code_scanning'));
