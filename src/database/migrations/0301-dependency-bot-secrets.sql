-- The dependency bot has secrets of its own. Workflows don't get them, and its jobs don't get those of workflows.
alter table actions_secrets
  add store text not null default 'actions' check (store in ('actions', 'dependency_bot')),
  add check (store = 'actions' or environment_id is null);
alter table actions_secrets alter store drop default;

drop index actions_secrets_organization;
drop index actions_secrets_repository;
create unique index actions_secrets_organization on actions_secrets (organization_id, store, name) where organization_id is not null;
create unique index actions_secrets_repository on actions_secrets (repository_id, store, name) where repository_id is not null;

alter table encryption_keys drop constraint encryption_keys_purpose_check;
alter table encryption_keys
  add constraint encryption_keys_purpose_check check (purpose in ('private_registries', 'actions', 'dependency_bot'));
