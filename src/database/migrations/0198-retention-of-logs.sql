-- When the logs of a run were deleted for their age; null while it may have some.
alter table workflow_runs add column logs_expired_at timestamptz;
create index workflow_runs_with_logs on workflow_runs (repository_id, updated_at) where status = 'completed' and logs_expired_at is null;
create index workflow_runs_ended on workflow_runs (updated_at) where status = 'completed';
