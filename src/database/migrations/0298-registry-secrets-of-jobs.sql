-- The secrets of registries that a running job was given, sealed, so that its log hides exactly these.
create table job_registry_secrets (
  id bigint generated always as identity primary key,
  job_id bigint not null unique references workflow_jobs (id) on delete cascade,
  secrets bytea not null
);
