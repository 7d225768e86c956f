-- Variables that workflows use, as secrets, with values that everybody reads who may read the variable.
create table actions_variables (
  id bigint generated always as identity primary key,
  organization_id bigint references accounts on delete cascade,
  repository_id bigint references repositories on delete cascade,
  environment_id bigint references environments on delete cascade,
  selection_id bigint references repository_selections,
  name text collate "C" not null,
  value text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check (num_nonnulls(organization_id, repository_id, environment_id) = 1),
  check ((organization_id is null) = (selection_id is null))
);
create unique index actions_variables_organization on actions_variables (organization_id, name) where organization_id is not null;
create unique index actions_variables_repository on actions_variables (repository_id, name) where repository_id is not null;
create unique index actions_variables_environment on actions_variables (environment_id, name) where environment_id is not null;
create unique index actions_variables_selection on actions_variables (selection_id) where selection_id is not null;
