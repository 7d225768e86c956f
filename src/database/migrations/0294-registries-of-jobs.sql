create table private_registry_settings (
  organization_id bigint primary key references accounts (id) on delete cascade,
  allowed_in_workflows boolean not null
);

-- Whether the runner's file of a job has steps before and after those of the workflow, which set up its registries.
alter table workflow_jobs add column has_registries boolean not null default false;
