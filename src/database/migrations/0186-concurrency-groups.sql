-- Concurrency groups of workflows: of the runs and jobs of one, one is in progress, and the latest other one waits.
create table concurrency_groups (
  id bigint generated always as identity primary key,
  repository_id bigint not null references repositories on delete cascade,
  name text not null,
  -- When a run or job last had it; null before the first.
  last_acquired_at timestamptz
);
create unique index concurrency_groups_name on concurrency_groups (repository_id, lower(name));

-- A whole run, or one of its jobs. It is a member until it is over.
create table concurrency_group_members (
  id bigint generated always as identity primary key,
  group_id bigint not null references concurrency_groups on delete cascade,
  run_id bigint not null references workflow_runs on delete cascade,
  job_id bigint references workflow_jobs on delete cascade,
  status text not null check (status in ('in_progress', 'pending')),
  -- Who comes with this cancels what is in progress.
  cancels_in_progress boolean not null
);
create unique index concurrency_group_members_run on concurrency_group_members (run_id, job_id) nulls not distinct;
create index concurrency_group_members_job on concurrency_group_members (job_id);
create index concurrency_group_members_group on concurrency_group_members (group_id, id);

drop index workflow_runs_group;
alter table workflow_runs drop column concurrency_group, drop column cancels_in_progress;
