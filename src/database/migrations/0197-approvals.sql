-- Jobs that wait to enter their environments, and what was said of them.
alter table environments add column admins_bypass boolean not null default true;

alter table workflow_jobs
  -- The environment that it waits for or has entered; null before that, and when it was deleted.
  add column environment_id bigint references environments on delete set null,
  add column deployment_id bigint references deployments on delete set null,
  -- When it asked to enter.
  add column asked_at timestamptz;
create index workflow_jobs_environment on workflow_jobs (environment_id) where environment_id is not null;
create index workflow_jobs_deployment on workflow_jobs (deployment_id) where deployment_id is not null;
create index workflow_jobs_waiting on workflow_jobs (repository_id, asked_at) where status = 'waiting';

-- What a person or an app said of jobs of a run that waited; without a state, an app tells of its progress.
create table workflow_run_reviews (
  id bigint generated always as identity primary key,
  run_id bigint not null references workflow_runs on delete cascade,
  user_id bigint references accounts on delete set null,
  app_id bigint references apps on delete set null,
  state text check (state in ('approved', 'rejected')),
  comment text not null,
  created_at timestamptz not null
);
create index workflow_run_reviews_run on workflow_run_reviews (run_id, id);
create index workflow_run_reviews_user on workflow_run_reviews (user_id);
create index workflow_run_reviews_app on workflow_run_reviews (app_id) where app_id is not null;

create table workflow_job_reviews (
  review_id bigint not null references workflow_run_reviews on delete cascade,
  job_id bigint not null references workflow_jobs on delete cascade,
  environment_id bigint references environments on delete set null,
  -- An administrator passed over what protects the environment.
  is_bypass boolean not null,
  primary key (review_id, job_id)
);
create index workflow_job_reviews_job on workflow_job_reviews (job_id);
create index workflow_job_reviews_environment on workflow_job_reviews (environment_id);
