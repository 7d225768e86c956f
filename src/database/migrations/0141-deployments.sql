-- Requests to deploy a commit into an environment. What becomes of them is said by statuses.
create table deployments (
  id bigint generated always as identity primary key,
  repository_id bigint not null references repositories on delete cascade,
  sha text not null,
  -- As it was asked for.
  ref text not null,
  task text not null,
  original_environment text not null,
  -- That of the latest status that named one.
  environment text not null,
  -- As JSON.
  payload text not null,
  description text,
  is_transient boolean not null,
  is_production boolean not null,
  -- That of the latest status; null while there is none.
  state text check (state in ('error', 'failure', 'inactive', 'in_progress', 'queued', 'pending', 'success')),
  creator_id bigint references accounts on delete set null,
  via_app_id bigint references apps on delete set null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index deployments_repository on deployments (repository_id, id);
create index deployments_sha on deployments (repository_id, sha, id);
create index deployments_ref on deployments (repository_id, ref, id);
create index deployments_environment on deployments (repository_id, lower(environment), id);
create index deployments_active on deployments (repository_id, lower(environment), id) where state = 'success';
create index deployments_creator on deployments (creator_id);
create index deployments_app on deployments (via_app_id) where via_app_id is not null;

create table deployment_statuses (
  id bigint generated always as identity primary key,
  deployment_id bigint not null references deployments on delete cascade,
  state text not null check (state in ('error', 'failure', 'inactive', 'in_progress', 'queued', 'pending', 'success')),
  description text not null,
  environment text not null,
  log_url text not null,
  environment_url text not null,
  creator_id bigint references accounts on delete set null,
  via_app_id bigint references apps on delete set null,
  created_at timestamptz not null
);
create index deployment_statuses_deployment on deployment_statuses (deployment_id, id);
create index deployment_statuses_creator on deployment_statuses (creator_id);
create index deployment_statuses_app on deployment_statuses (via_app_id) where via_app_id is not null;
