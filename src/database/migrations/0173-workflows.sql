-- The app that the tokens and checks of workflow jobs belong to. It is part of the server: nobody installs it, and no list of installations shows it.
alter table apps add column built_in text unique check (built_in in ('actions'));

-- Workflow files. One is known since its file was on the default branch, or started a run.
create table workflows (
  id bigint generated always as identity primary key,
  repository_id bigint not null references repositories on delete cascade,
  path text not null,
  name text not null,
  state text not null check (state in ('active', 'deleted', 'disabled_fork', 'disabled_inactivity', 'disabled_manually')),
  -- The events that the file of the default branch names, with their filters; null where it isn't there, or can't be read.
  events jsonb,
  -- The last number of its runs.
  last_run_number integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index workflows_path on workflows (repository_id, path);

create table workflow_runs (
  id bigint generated always as identity primary key,
  repository_id bigint not null references repositories on delete cascade,
  workflow_id bigint not null references workflows on delete cascade,
  run_number integer not null,
  attempt integer not null default 1,
  event text not null,
  -- What happened, so that a repeated delivery of it makes no second run; null where a request made it.
  event_id bigint,
  -- The workflow's name, and the title of this run.
  name text not null,
  title text not null,
  path text not null,
  status text not null check (status in ('requested', 'waiting', 'pending', 'queued', 'in_progress', 'completed')),
  conclusion text check (conclusion in (
    'action_required', 'cancelled', 'failure', 'neutral', 'skipped', 'stale', 'startup_failure', 'success', 'timed_out')),
  head_branch text,
  head_sha text not null,
  head_repository_id bigint references repositories on delete set null,
  -- The head commit as it was: id, tree_id, message, timestamp, author, committer.
  head_commit jsonb not null,
  -- The ref that its jobs check out, and the commit: of a pull request, those of its test merge.
  ref text not null,
  sha text not null,
  pull_request_id bigint references issues on delete set null,
  actor_id bigint references accounts on delete set null,
  triggering_actor_id bigint references accounts on delete set null,
  -- The webhook payload of the event, and the workflow file: what follows reads these, whatever has become of the branch.
  payload text not null,
  file text not null,
  -- Why it can't run: a list of messages with their lines.
  problems jsonb not null default '[]',
  concurrency_group text,
  cancels_in_progress boolean not null default false,
  -- A run of a fork's pull request: its token only reads, and it gets no secrets.
  is_from_fork boolean not null default false,
  cancelled_at timestamptz,
  check_suite_id bigint references check_suites on delete set null,
  created_at timestamptz not null,
  started_at timestamptz not null,
  updated_at timestamptz not null,
  constraint workflow_runs_concluded check ((status = 'completed') = (conclusion is not null))
);
create unique index workflow_runs_number on workflow_runs (workflow_id, run_number);
create unique index workflow_runs_event on workflow_runs (event_id, workflow_id) where event_id is not null;
create index workflow_runs_repository on workflow_runs (repository_id, id);
create index workflow_runs_of_workflow on workflow_runs (repository_id, workflow_id, id);
create index workflow_runs_head on workflow_runs (repository_id, head_sha);
create index workflow_runs_open on workflow_runs (repository_id, id) where status <> 'completed';
create index workflow_runs_group on workflow_runs (repository_id, concurrency_group) where concurrency_group is not null and status <> 'completed';
create index workflow_runs_head_repository on workflow_runs (head_repository_id);
create index workflow_runs_pull_request on workflow_runs (pull_request_id);
create index workflow_runs_actor on workflow_runs (actor_id);
create index workflow_runs_triggering_actor on workflow_runs (triggering_actor_id);
create index workflow_runs_check_suite on workflow_runs (check_suite_id);

-- How the attempts before the present one have ended.
create table workflow_run_attempts (
  run_id bigint not null references workflow_runs on delete cascade,
  attempt integer not null,
  conclusion text not null,
  triggering_actor_id bigint references accounts on delete set null,
  started_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (run_id, attempt)
);
create index workflow_run_attempts_actor on workflow_run_attempts (triggering_actor_id);

-- Runners that people run. One belongs to an organization, in one of its groups, or to a repository.
create table runners (
  id bigint generated always as identity primary key,
  organization_id bigint references accounts on delete cascade,
  repository_id bigint references repositories on delete cascade,
  runner_group_id bigint references runner_groups,
  uuid text not null unique,
  token_hash bytea not null,
  name text not null,
  os text not null,
  version text not null,
  -- In lower case, without those that every runner has by its kind.
  labels text[] not null,
  -- It takes one job, and is removed with it.
  is_ephemeral boolean not null,
  -- When it last asked for a job or told of one.
  seen_at timestamptz,
  created_at timestamptz not null,
  constraint runners_owner check (num_nonnulls(organization_id, repository_id) = 1),
  constraint runners_group check ((organization_id is null) = (runner_group_id is null))
);
create unique index runners_name on runners (coalesce(organization_id, 0), coalesce(repository_id, 0), lower(name));
create index runners_organization on runners (organization_id, id);
create index runners_repository on runners (repository_id, id);
create index runners_group on runners (runner_group_id);

-- What a runner is registered or removed with, for an hour.
create table runner_tokens (
  token_hash bytea primary key,
  purpose text not null check (purpose in ('registration', 'removal')),
  organization_id bigint references accounts on delete cascade,
  repository_id bigint references repositories on delete cascade,
  expires_at timestamptz not null,
  constraint runner_tokens_owner check (num_nonnulls(organization_id, repository_id) = 1)
);
create index runner_tokens_expiry on runner_tokens (expires_at);
create index runner_tokens_organization on runner_tokens (organization_id);
create index runner_tokens_repository on runner_tokens (repository_id);

-- The jobs of a run's attempts. One is made when what it needs is over; until then, the file of its run says that it comes.
create table workflow_jobs (
  id bigint generated always as identity primary key,
  run_id bigint not null references workflow_runs on delete cascade,
  repository_id bigint not null references repositories on delete cascade,
  attempt integer not null,
  -- Its id in the file, and its place among the jobs of its matrix.
  key text not null,
  position integer not null,
  name text not null,
  -- What the file says of it, its expressions evaluated; see PlannedJob of src/workflow-files/plan.ts.
  plan jsonb not null,
  status text not null check (status in ('waiting', 'pending', 'queued', 'in_progress', 'completed')),
  conclusion text check (conclusion in ('action_required', 'cancelled', 'failure', 'neutral', 'skipped', 'success', 'timed_out')),
  -- What its runner must have, in lower case; the group that it must be in.
  labels text[] not null,
  group_name text,
  max_parallel integer,
  outputs jsonb not null default '{}',
  -- Why it failed before a runner had it, or without one, and the line of the file.
  problem text,
  problem_line integer,
  runner_id bigint references runners on delete set null,
  runner_name text,
  runner_group_id bigint references runner_groups on delete set null,
  runner_group_name text,
  token_id bigint references tokens on delete set null,
  check_run_id bigint references check_runs on delete set null,
  cancelled_at timestamptz,
  -- When its runner last told of it.
  heard_at timestamptz,
  log_rows bigint not null default 0,
  log_bytes bigint not null default 0,
  -- Its log in the object store, once it is over; null while the parts below hold it, and when it was deleted.
  log_key text,
  created_at timestamptz not null,
  queued_at timestamptz,
  started_at timestamptz,
  completed_at timestamptz,
  constraint workflow_jobs_concluded check ((status = 'completed') = (conclusion is not null))
);
create unique index workflow_jobs_key on workflow_jobs (run_id, attempt, key, position);
create index workflow_jobs_repository on workflow_jobs (repository_id, id);
create index workflow_jobs_queued on workflow_jobs (id) where status = 'queued';
create index workflow_jobs_running on workflow_jobs (heard_at) where status = 'in_progress';
create index workflow_jobs_runner on workflow_jobs (runner_id);
create index workflow_jobs_runner_group on workflow_jobs (runner_group_id);
create index workflow_jobs_token on workflow_jobs (token_id);
create index workflow_jobs_check_run on workflow_jobs (check_run_id);

create table workflow_job_steps (
  job_id bigint not null references workflow_jobs on delete cascade,
  number integer not null,
  name text not null,
  status text not null check (status in ('queued', 'in_progress', 'completed')),
  conclusion text check (conclusion in ('success', 'failure', 'cancelled', 'skipped')),
  started_at timestamptz,
  completed_at timestamptz,
  -- Its part of the log.
  first_row bigint not null default 0,
  row_count bigint not null default 0,
  primary key (job_id, number)
);

-- The log of a job that is running: lines with their times, in the order of their rows. Each part is durable before it is acknowledged.
create table workflow_job_log_parts (
  job_id bigint not null references workflow_jobs on delete cascade,
  first_row bigint not null,
  text text not null,
  primary key (job_id, first_row)
);
