-- A run of a bare commit has no ref. The workflow file may come from another ref and commit than the run's: null where it comes from the same.
alter table workflow_runs
  alter column ref drop not null,
  add column workflow_ref text,
  add column workflow_sha text;
-- Earlier versions gave runs of statuses and deployments the default branch's ref, whatever their commit. A rerun must not use it again.
update workflow_runs set ref = null, workflow_ref = ref
  where event in ('status', 'deployment', 'deployment_status');

-- The full name of the branch or tag that was deployed; null for a bare commit, and for deployments made before.
alter table deployments add column full_ref text;
