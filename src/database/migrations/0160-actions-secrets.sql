-- Secrets that workflows use, of an organization, a repository or an environment. Names have capital letters alone, and are in the order of
-- their bytes. The value is sealed under the server's secret key. Those of an organization have a selection: which repositories may use them.
create table actions_secrets (
  id bigint generated always as identity primary key,
  organization_id bigint references accounts on delete cascade,
  repository_id bigint references repositories on delete cascade,
  environment_id bigint references environments on delete cascade,
  selection_id bigint references repository_selections,
  name text collate "C" not null,
  value bytea not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check (num_nonnulls(organization_id, repository_id, environment_id) = 1),
  check ((organization_id is null) = (selection_id is null))
);
create unique index actions_secrets_organization on actions_secrets (organization_id, name) where organization_id is not null;
create unique index actions_secrets_repository on actions_secrets (repository_id, name) where repository_id is not null;
create unique index actions_secrets_environment on actions_secrets (environment_id, name) where environment_id is not null;
create unique index actions_secrets_selection on actions_secrets (selection_id) where selection_id is not null;
