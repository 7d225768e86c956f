-- The keys that callers encrypt secrets with are no longer those of private registries alone: each purpose has its own, of an organization, a
-- repository or an environment.
alter table registry_keys rename to encryption_keys;
alter sequence registry_keys_id_seq rename to encryption_keys_id_seq;
alter index registry_keys_pkey rename to encryption_keys_pkey;
drop index registry_keys_active;
drop index registry_keys_organization;

alter table encryption_keys
  add purpose text not null default 'private_registries' check (purpose in ('private_registries', 'actions')),
  add repository_id bigint references repositories on delete cascade,
  add environment_id bigint references environments on delete cascade,
  alter organization_id drop not null,
  add check (num_nonnulls(organization_id, repository_id, environment_id) = 1);
alter table encryption_keys alter purpose drop default;

create unique index encryption_keys_active on encryption_keys (organization_id, repository_id, environment_id, purpose)
  nulls not distinct where retired_at is null;
create index encryption_keys_organization on encryption_keys (organization_id) where organization_id is not null;
create index encryption_keys_repository on encryption_keys (repository_id) where repository_id is not null;
create index encryption_keys_environment on encryption_keys (environment_id) where environment_id is not null;
