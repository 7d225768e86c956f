-- Lists of runs: newest first, by what they are filtered by.
drop index workflow_runs_repository;
drop index workflow_runs_of_workflow;
drop index workflow_runs_head;
drop index workflow_runs_open;
create index workflow_runs_repository on workflow_runs (repository_id, created_at, id);
create index workflow_runs_of_workflow on workflow_runs (workflow_id, created_at, id);
create index workflow_runs_head on workflow_runs (repository_id, head_sha, created_at, id);
create index workflow_runs_branch on workflow_runs (repository_id, head_branch, created_at, id);
create index workflow_runs_event_name on workflow_runs (repository_id, event, created_at, id);
create index workflow_runs_of_actor on workflow_runs (repository_id, actor_id, created_at, id);
create index workflow_runs_open on workflow_runs (repository_id, status, created_at, id) where status <> 'completed';
create index workflow_runs_conclusion on workflow_runs (repository_id, conclusion, created_at, id) where conclusion is not null;

-- A job of an attempt that runs some jobs of the one before again: where it ran, if it isn't one of these. Its steps and its log are there.
alter table workflow_jobs add column carried_from bigint references workflow_jobs on delete cascade;
create index workflow_jobs_carried_from on workflow_jobs (carried_from) where carried_from is not null;

-- The system of its runner, which times are summed up by.
alter table workflow_jobs add column runner_os text;


-- An attempt whose steps tell more of themselves in its logs, as was asked for with it.
alter table workflow_runs add column debugs boolean not null default false;
