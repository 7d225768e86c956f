-- What organizations want of the security of repositories, by name. One without an organization is the server's own, which all may attach.
-- `settings` is what was asked for, `switches` which switches of repositories follow from it: true and false by their names.
create table security_configurations (
  id bigint generated always as identity primary key,
  organization_id bigint references accounts on delete cascade,
  name text not null,
  description text not null,
  settings jsonb not null,
  switches jsonb not null,
  enforcement text not null check (enforcement in ('enforced', 'unenforced')),
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index security_configurations_name on security_configurations (organization_id, lower(name));

insert into security_configurations (name, description, settings, switches, enforcement, created_at, updated_at) values (
  'Recommended',
  'Settings for alerts about vulnerabilities, reports of them in private, and secrets.',
  '{"advanced_security": "disabled", "dependency_bot_alerts": "enabled", "dependency_bot_security_updates": "not_set",
    "secret_scanning": "enabled", "secret_scanning_push_protection": "enabled", "secret_scanning_non_provider_patterns": "not_set",
    "private_vulnerability_reporting": "enabled"}',
  '{"vulnerability_alerts": true, "secret_scanning": true, "secret_scanning_push_protection": true,
    "private_vulnerability_reporting": true}',
  'enforced', '2026-01-01Z', '2026-01-01Z'
);

-- Which configuration new repositories of an organization get.
create table security_configuration_defaults (
  organization_id bigint not null references accounts on delete cascade,
  visibility text not null check (visibility in ('public', 'private_and_internal')),
  configuration_id bigint not null references security_configurations on delete cascade,
  primary key (organization_id, visibility)
);
create index security_configuration_defaults_configuration on security_configuration_defaults (configuration_id);

-- The configuration of a repository. `attaching` and `updating` wait for a job; `removed`: somebody changed a switch since.
create table security_configuration_repositories (
  repository_id bigint primary key references repositories on delete cascade,
  configuration_id bigint not null references security_configurations on delete cascade,
  organization_id bigint not null references accounts on delete cascade,
  status text not null check (status in ('attaching', 'attached', 'enforced', 'failed', 'updating', 'removed', 'detached')),
  problem text,
  actor_id bigint references accounts on delete set null
);
create index security_configuration_repositories_configuration
  on security_configuration_repositories (configuration_id, organization_id, repository_id);

-- Products that are being turned on or off in all repositories of an organization.
create table security_enablements (
  organization_id bigint not null references accounts on delete cascade,
  product text not null,
  is_on boolean not null,
  actor_id bigint references accounts on delete set null,
  started_at timestamptz not null,
  primary key (organization_id, product)
);
