-- Private package registries of organizations, and the keys that callers encrypt their secrets with.

-- The private half is sealed under the server's secret key, and is dropped when the key is retired: nothing is
-- encrypted with it any more, since every value is opened when it arrives.
create table registry_keys (
  id bigint generated always as identity primary key,
  organization_id bigint not null references accounts on delete cascade,
  public_key bytea not null,
  private_key bytea,
  created_at timestamptz not null,
  retired_at timestamptz,
  check ((private_key is null) = (retired_at is not null))
);
create unique index registry_keys_active on registry_keys (organization_id) where retired_at is null;
create index registry_keys_organization on registry_keys (organization_id);

-- secret is sealed under the server's secret key; identity holds the fields of registries without a secret (OpenID Connect).
create table private_registries (
  id bigint generated always as identity primary key,
  organization_id bigint not null references accounts on delete cascade,
  name text not null,
  registry_type text not null check (registry_type in (
    'maven_repository', 'nuget_feed', 'goproxy_server', 'npm_registry', 'rubygems_server', 'cargo_registry',
    'composer_repository', 'docker_registry', 'git_source', 'helm_registry', 'hex_organization', 'hex_repository',
    'pub_repository', 'python_index', 'terraform_registry'
  )),
  auth_type text not null check (auth_type in (
    'token', 'username_password', 'oidc_cloud_a', 'oidc_cloud_b', 'oidc_registry_a', 'oidc_registry_b',
    'oidc_cloud_c'
  )),
  url text not null,
  username text,
  replaces_base boolean not null,
  visibility text not null check (visibility in ('all', 'private', 'selected')),
  identity jsonb not null default '{}',
  secret bytea,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index private_registries_name on private_registries (organization_id, upper(name));

create table private_registry_repositories (
  registry_id bigint not null references private_registries on delete cascade,
  repository_id bigint not null references repositories on delete cascade,
  primary key (registry_id, repository_id)
);
create index private_registry_repositories_repository on private_registry_repositories (repository_id);
